"""Communication between ranks that train one model together."""
