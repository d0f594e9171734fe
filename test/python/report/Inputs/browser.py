"""A page in a real browser without a window: Chromium, as Qt WebEngine of the package PySide6-WebEngine brings it."""

import json
import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# It may run as root, with no GPU, and with little shared memory.
os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--no-sandbox --disable-gpu --disable-dev-shm-usage")
os.environ.setdefault("QT_LOGGING_RULES", "*=false")

from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWebEngineCore import QWebEnginePage
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

_application = QApplication.instance() or QApplication(["browser"])


class _Page(QWebEnginePage):
    """A page that keeps the errors of its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def javaScriptConsoleMessage(self, level, message, line, source) -> None:
        if level == QWebEnginePage.JavaScriptConsoleMessageLevel.ErrorMessageLevel:
            self.messages.append(f"{source.rpartition('/')[2]}:{line}: {message}")


class Browser:
    """One page; clicks and keys are those of a mouse and a keyboard, not of a script.

    Attributes:
      messages: the errors of the page's scripts.
    """

    def __init__(self, path: str, width: int = 1280, height: int = 900) -> None:
        self._page = _Page()
        self._view = QWebEngineView()
        self._view.setPage(self._page)
        self._view.resize(width, height)
        loop = QEventLoop()
        self._view.loadFinished.connect(loop.quit)
        self._view.load(QUrl.fromLocalFile(os.path.abspath(path)))
        self._view.show()
        loop.exec()
        self.messages = self._page.messages

    def evaluate(self, expression: str):
        """Returns the value of a JavaScript expression, which JSON can hold."""
        loop, results = QEventLoop(), []

        def done(result) -> None:
            results.append(result)
            loop.quit()

        QTimer.singleShot(20000, loop.quit)
        self._page.runJavaScript(f"JSON.stringify({expression})", 0, done)
        loop.exec()
        if not results:
            raise TimeoutError(expression)
        return json.loads(results[0]) if results[0] else None

    def text(self, selector: str) -> str:
        """The text of the first element that a selector matches."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent.trim()")

    def count(self, selector: str) -> int:
        """How many elements a selector matches."""
        return self.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def click(self, selector: str) -> None:
        """Clicks into the middle of what is visible of the first element that a selector matches."""
        x, y = self.evaluate(
            f"""(() => {{
              const element = document.querySelector({json.dumps(selector)});
              element.scrollIntoView({{block: "center", behavior: "instant"}});
              const box = element.getBoundingClientRect();
              return [(Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2, box.top + box.height / 2];
            }})()"""
        )
        QTest.qWait(50)
        QTest.mouseClick(self._view.focusProxy(), Qt.LeftButton, Qt.NoModifier, QPoint(round(x), round(y)))
        QTest.qWait(150)

    def key(self, key: Qt.Key) -> None:
        """Presses a key in what has the focus."""
        QTest.keyClick(self._view.focusProxy(), key)
        QTest.qWait(150)

    def print(self, path: str) -> None:
        """Prints the page to a PDF."""
        loop = QEventLoop()
        self._page.pdfPrintingFinished.connect(loop.quit)
        self._page.printToPdf(path)
        loop.exec()

    def screenshot(self, path: str) -> None:
        """Writes a picture of the page."""
        QTest.qWait(300)
        self._view.grab().save(path)
