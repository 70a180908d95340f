"""A server that notes who speaks to it, to prove that nobody does."""

import contextlib
import socket
import threading


class Listening:
    """Notes the first bytes of every connection.

    Attributes:
        port: on 127.0.0.1.
        heard: what was said, connection by connection.
    """

    def __init__(self, listening: socket.socket) -> None:
        self.port = listening.getsockname()[1]
        self.heard: list[bytes] = []
        self._socket = listening

    def accept(self) -> None:
        """Until the socket is closed."""
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(2)
                said = b""
                with contextlib.suppress(OSError):
                    said = connection.recv(300)
                    connection.sendall(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")
                self.heard.append(said)


@contextlib.contextmanager
def listening():
    """A server that listens for as long as the block runs."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = Listening(bound)
        thread = threading.Thread(target=server.accept)
        thread.start()
        try:
            yield server
        finally:
            bound.shutdown(socket.SHUT_RDWR)
            thread.join(timeout=240)
