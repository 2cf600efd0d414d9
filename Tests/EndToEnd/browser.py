"""Headless Chromium, driven by Debian's own driver: nothing is ever downloaded."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import axe_core_python
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from harness import PATIENCE

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
WIDE, PHONE = (1280, 900), (390, 844)


@contextmanager
def chromium(language="en", *, dark=False, size=WIDE, arguments=()):
    """A browser with a profile of its own, that prefers a language and a colour scheme; `arguments` are its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", *arguments):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.add_experimental_option("prefs", {"intl.accept_languages": f"{language},{language}"})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(PATIENCE)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        width, height = size
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE},
        )
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    def __init__(self, driver):
        self.driver = driver

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector="main"):
        return self.find(selector).text

    def script(self, source, *arguments):
        return self.driver.execute_script(source, *arguments)

    def until(self, holds):
        # A page that goes away while it is asked is asked again.
        return WebDriverWait(self.driver, PATIENCE, ignored_exceptions=[WebDriverException]).until(lambda _: holds())

    def submit(self, selector):
        """Clicks what leads to another page and waits until it is there."""
        self.script("window.isOld = true")
        self.find(selector).click()
        self.until(lambda: self.script("return !window.isOld && document.readyState === 'complete'"))

    def sign_in(self, url, key):
        self.driver.get(url + "/support/sign-in")
        self.find("#api-key").send_keys(key)
        self.submit("main button")

    def complaints(self):
        """What the console says since it was last asked, refused styles and scripts among it."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def violations(self):
        """What axe-core finds wrong with the page, by rule and place."""
        # By way of the driver, since the page's own policy lets no foreign script in.
        self.script(AXE)
        found = self.driver.execute_async_script("const done = arguments[0]; axe.run(document).then(done)")
        return [(one["id"], [node["target"] for node in one["nodes"]]) for one in found["violations"]]
