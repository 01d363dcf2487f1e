// Loads a compose file with the specification's own loader, and prints what it understood as JSON: compose FILE.
// Exit code 1 with what is wrong.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithResolvedPaths(false))
	if err == nil {
		project, problem := options.LoadProject(context.Background())
		if err = problem; err == nil {
			var text []byte
			if text, err = project.MarshalJSON(); err == nil {
				_, err = os.Stdout.Write(text)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
