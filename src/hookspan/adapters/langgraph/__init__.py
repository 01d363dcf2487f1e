"""LangGraph, LangChain's agents and deepagents (written against langgraph 1.2.24, langchain 1.5.2, deepagents 0.7.32)."""
