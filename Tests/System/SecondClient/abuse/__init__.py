"""What is cheap to send and dear to serve, sent by a client that means harm."""
