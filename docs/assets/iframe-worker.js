// SPDX-License-Identifier: Apache-2.0
// Search from a disk: browsers refuse workers on pages of file:, so the worker's script runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      // What a worker's script expects of its surroundings.
      inside.postMessage = (data) => this.receive(data);
      inside.importScripts = (...sources) =>
        sources.reduce((done, source) => done.then(() => this.load(source)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(source) {
      const script = this.frame.contentDocument.createElement("script");
      script.src = new URL(source, document.baseURI).href;
      return new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentDocument.body.append(script);
      });
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    postMessage(data) {
      const event = new MessageEvent("message", { data });
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(event));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
