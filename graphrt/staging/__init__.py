"""The backend: what control flow, calls and lists of converted code mean on symbolic tensors."""
