import { expect, test } from "vitest"
import { readZip } from "./zip.ts"

// Written by Python's zipfile, not by us: one stored file, one deflated, one folder, and a comment after the end record.
const archive = Buffer.from(
  "UEsDBBQAAAAAAAQEcF2zJE6WCAAAAAgAAAAKAAAAc3RvcmVkLnR4dGFzIGl0IGlzUEsDBBQAAAAIAAAAIQDlJYbIGAAAAOYAAAAIAAAAYmluL3Rvb2xTVtRPyszTL87gSk3OyFfISM3JyR9+TABQSwMEFAAAAAAABARwXQAAAAAAAAAAAAAAAAYAAABlbXB0eS9QSwECFAMUAAAAAAAEBHBdsyROlggAAAAIAAAACgAAAAAAAAAAAAAAgAEAAAAAc3RvcmVkLnR4dFBLAQIUAxQAAAAIAAAAIQDlJYbIGAAAAOYAAAAIAAAAAAAAAAAAAADtATAAAABiaW4vdG9vbFBLAQIUAxQAAAAAAAQEcF0AAAAAAAAAAAAAAAAGAAAAAAAAAAAAEAD9QW4AAABlbXB0eS9QSwUGAAAAAAMAAwCiAAAAkgAAAAkAYSBjb21tZW50",
  "base64",
)

test("reads stored and deflated files and leaves folders out", () => {
  const entries = readZip(archive)
  expect([...entries.keys()]).toEqual(["stored.txt", "bin/tool"])
  expect(entries.get("stored.txt")?.read().toString()).toBe("as it is")
  expect(entries.get("bin/tool")?.read().toString()).toBe(`#!/bin/sh\n${"echo hello\n".repeat(20)}`)
})

test("a changed byte is a checksum error", () => {
  const damaged = Buffer.from(archive)
  damaged[damaged.indexOf("as it is")] = "A".charCodeAt(0)
  expect(() => readZip(damaged).get("stored.txt")?.read()).toThrow("stored.txt in the zip archive does not match its checksum")
})

test.for([
  ["nothing", Buffer.alloc(0)],
  ["a web page", Buffer.from("<html>not found</html>".repeat(10))],
  ["a cut download", archive.subarray(0, 100)],
] as const)("%s is not an archive", ([, bytes]) => {
  expect(() => readZip(bytes)).toThrow("expected a zip archive")
})
