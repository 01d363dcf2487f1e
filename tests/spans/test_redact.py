"""Secrets: planted ones of the usual kinds are gone, and what only looks a little like one stays as it is."""

from __future__ import annotations

import json
import re

import pytest

from hookspan.spans.redact import MASK, redactor

redact = redactor()

ABC = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY"
"""32 characters as random keys have them. The keys below are put together here, so that no scanner takes one for real."""
PEM = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"

TOKENS = {
    "OpenAI": f"sk-{ABC}",
    "OpenAI project": f"sk-proj-{ABC}_-x",
    "Anthropic": f"sk-ant-api03-{ABC}",
    "OpenRouter": f"sk-or-v1-{ABC}",
    "AWS access key id": "AKIA" + "IOSFODNN7EXAMPLE",
    "AWS session key id": "ASIA" + "IOSFODNN7EXAMPLE",
    "GitHub": f"ghp_{ABC}0000",
    "GitHub app": f"ghs_{ABC}0000",
    "GitHub fine-grained": f"github_pat_{ABC}_{ABC}",
    "GitLab": f"glpat-{ABC[:20]}",
    "Slack bot": f"xoxb-{ABC}",
    "Slack app": f"xapp-1-{ABC}",
    "Slack webhook": f"hooks.slack.com/services/T{ABC[:9]}/B{ABC[:9]}/{ABC}",
    "Google API": f"AIza{ABC}xyz",
    "Google OAuth": f"ya29.{ABC}",
    "Hugging Face": f"hf_{ABC}",
    "npm": f"npm_{ABC}",
    "PyPI": f"pypi-{ABC}{ABC}",
    "Docker Hub": f"dckr_pat_{ABC}",
    "Stripe": f"sk_live_{ABC}",
    "Stripe, for tests": f"rk_test_{ABC}",
    "SendGrid": f"SG.{ABC}.{ABC}",
    "LangSmith": f"lsv2_pt_{ABC}_{ABC[:10]}",
    "JWT": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0{ABC}.{ABC}",
    "private key": f"-----BEGIN PRIVATE KEY-----\n{PEM}\n-----END PRIVATE KEY-----",
    "RSA key": f"-----BEGIN RSA PRIVATE KEY-----\n{PEM}\n-----END RSA PRIVATE KEY-----",
    "PGP key": f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{PEM}\n-----END PGP PRIVATE KEY BLOCK-----",
    "key whose end was cut off": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{PEM}",
}

NAMED = [
    ("DB_PASSWORD=", "hunter2hunter", ""),
    ("password=", "123456", ""),
    ("passwd: ", "hunter22", "\nnext: line"),
    ('{"password": "', "correct horse battery staple", '"}'),
    ('{"user": "ada", "password": "', 'quo\\"ted, and {braced}', '", "port": 5432}'),
    ("password: '", "two words & a #hash", "'"),
    ('{\\"api_key\\": \\"', "a b; c 0123", '\\", \\"n\\": 1}'),
    ('{\\\\\\"client_secret\\\\\\": \\\\\\"', "deeper down 1", '\\\\\\"}'),
    ("export AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE", ""),
    ("AccountKey=", "abcd1234abcd1234==", ";EndpointSuffix=example.org"),
    ("x-api-key: ", "0123456789abcdef0123", "\r\nHost: example.org"),
    ("SECRET_KEY = '", "insecure-abc#$%^&*()def", "'"),
    ("https://example.org/?access_token=", "abc123def456", "&page=1"),
    ("_authToken=", "abcdef-1234-abcdef", ""),
    ("refreshToken: '", "abcdef-1234-abcdef", "'"),
    ("passphrase: '", "open sesame", "'"),
    ("GITHUB_TOKEN=", "abcdef0123456789abcdef", " make"),
    ("X-Vault-Token: ", "hvs.abcdef0123456789", ""),
    ('"token": "', "abcdef0123456789", '"'),
    ("Server=db;Uid=app;Pwd=", "hunter22", ";"),
    ("deploy --password ", "hunter22", " --verbose"),
    ("deploy --api-key=", "abcdef123456", " --verbose"),
    ("deploy --token '", "abcdef123456", "'"),
    ("Authorization: Basic ", "dXNlcjpwYXNzd29yZA==", ""),
    ("Proxy-Authorization: Basic ", "dXNlcjpwYXNz", ""),
    ("authorization: token ", "0123456789abcdef", ""),
    ("{'Authorization': 'Bearer ", "abcdefghijkl", "'}"),
    ("curl -H 'authorization: bearer ", "opaque.token-1", "' https://example.org"),
    ("sent it as Bearer ", "opaque.token-1", ""),
    ("postgres://app:", "p%40ss", "@db:5432/x"),
    ("redis://:", "s3cr3tpw", "@cache:6379/0"),
    ("https://ada:", "pass,word", "@example.org/path"),
    ("Set-Cookie: session=", "abc123def456; Path=/; HttpOnly", "\r\nDate: today"),
    ("curl -s -u admin:", "s3cretpw", " https://example.org"),
]
"""What is before a secret and says that it is one, the secret, and what is after it."""

BENIGN = [
    "The secretary said that the password was forgotten, and a token of thanks came by bearer.",
    "Please reset your password. Which key? The API key, that is: the one for access.",
    "bearer authentication is used; the bearer certificates expire",
    "passwordless: enabled for everybody",
    "secretariat: Vienna",
    '{"password": null, "api_key": "", "secret": false, "token": null}',
    "password: string; api_key: str | None; secret: bytes",
    "api_key=$API_KEY --token $TOKEN --password-file /run/x",
    "password=**** api_key: xxxxxxxx",
    '{"input_tokens": 1200, "output_tokens": 34, "max_tokens": 4096, "tokens": [1, 2, 3]}',
    "access_token_expires_in=3600 private_key_bits=2048",
    "token: hello, token=unbelievable, next_page_token: CAUQAA9876543210abcdef",
    "PWD=/home/ada/project OLDPWD=/tmp",
    "risk-averse task-force-of-the-whole-department desk-0123456789abcdef0",
    "https://example.org:8080/a@b https://example.org/path?key=value#top git@example.org:a/b.git",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 6d69334c0ffee0123456789abcdef0123456789a",
    "id 123e4567-e89b-12d3-a456-426614174000 call toolu_01A09q90qw90lq917835lq9 chatcmpl-9abcDEF012",
    "docker run -u 1000:1000 image; curl -u 1000:1000",
    "cookie: a small biscuit; the cookies = 12",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@example.org",
    "def login(user, password):\n    return check(user, password)\n",
    "for key in sorted(keys): print(key, '=', values[key])",
    "Grüße, 世界 🔑 password? \u0000\u2028",
    "C:\\Users\\ada\\secrets.txt and /etc/passwd",
    "",
]


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize("around", ["{}", "it is {} now", '{{"value": "{}", "n": 1}}', "KEY={}\nNEXT=1", "a,{},b", "https://x/{}"])
def test_a_token_is_gone_wherever_it_stands_and_nothing_around_it(kind: str, around: str) -> None:
    before, after = around.format("\0").split("\0")
    assert redact(before + TOKENS[kind] + after) in (before + MASK + after, *([before + MASK] if "cut off" in kind else []))


@pytest.mark.parametrize(("before", "secret", "after"), NAMED, ids=[before for before, _, _ in NAMED])
def test_a_value_is_gone_when_what_stands_before_it_says_that_it_is_secret(before: str, secret: str, after: str) -> None:
    assert redact(before + secret + after) == before + MASK + after


def test_all_of_them_in_one_text_are_gone() -> None:
    text = "\n".join([*(before + secret + after for before, secret, after in NAMED), *TOKENS.values()])
    masked = redact(text)
    found = [secret for secret in [*(secret for _, secret, _ in NAMED), *TOKENS.values(), PEM, ABC] if secret in masked]
    assert found == []


@pytest.mark.parametrize("text", BENIGN, ids=[text[:30] for text in BENIGN])
def test_what_is_no_secret_stays_byte_by_byte(text: str) -> None:
    assert redact(text) == text


def test_all_of_what_is_no_secret_in_one_text_stays_byte_by_byte() -> None:
    text = "\n\n".join(BENIGN)
    assert redact(text) == text


@pytest.mark.parametrize("text", [*(before + secret + after for before, secret, after in NAMED), *TOKENS.values(), *BENIGN])
def test_redacting_again_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def test_json_stays_json_with_its_other_values() -> None:
    secret = {"password": 'a "quoted" one \\ with\nlines', "pin": {"passwd": 12345678}, "api_key": 12345678901, "jwt": TOKENS["JWT"]}
    plain = {"name": "ada", "count": 3, "list": ["a b", None, 1.5]}
    for text in (
        json.dumps({**secret, **plain}),
        json.dumps({**secret, **plain}, indent=2),
        json.dumps({**secret, **plain}, separators=(",", ":")),
    ):
        assert json.loads(redact(text)) == {"password": MASK, "pin": {"passwd": MASK}, "api_key": MASK, "jwt": MASK, **plain}


def test_own_patterns_come_on_top_of_ours() -> None:
    own = redactor([r"EMP-\d{6}", r"(?i:project \w+)"])
    assert own(f"EMP-123456 of Project Falcon: {TOKENS['OpenAI']}, EMP-12") == f"{MASK} of {MASK}: {MASK}, EMP-12"


def test_an_own_pattern_that_is_none_is_refused_when_it_is_given() -> None:
    with pytest.raises(re.error):
        redactor(["("])
