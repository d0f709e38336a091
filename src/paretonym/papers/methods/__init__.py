"""What the papers do: POkA and PBG-EA, and the four problems of the trade-offs paper."""
