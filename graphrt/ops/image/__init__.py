"""Images: resized, recoloured, cut, drawn upon, read and written."""
