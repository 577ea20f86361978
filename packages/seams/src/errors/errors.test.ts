import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { errorCodes } from "./error-codes.ts"
import { isRetryable, messageOf, PilothouseError } from "./errors.ts"

const reference = fileURLToPath(new URL("../../../../docs/reference/errors.md", import.meta.url))

test("docs/reference/errors.md has exactly the codes of the table, with their meaning", () => {
  const documented = readFileSync(reference, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .join("|"),
    )
  const expected = Object.entries(errorCodes).map(
    ([code, { retryable, meaning }]) => `|\`${code}\`|${retryable ? "yes" : "no"}|${meaning}|`,
  )
  expect(documented.toSorted()).toEqual(expected.toSorted())
})

test("an error has its code, whether the same call may succeed later, and its cause", () => {
  const cause = new Error("ECONNRESET")
  const error = new PilothouseError("CONNECTION_LOST", "the connection was lost", { cause })
  expect(error).toMatchObject({ name: "PilothouseError", code: "CONNECTION_LOST", retryable: true, cause })
  expect("cause" in new PilothouseError("FILE", "x")).toBe(false)
})

test.each([
  [new PilothouseError("TIMEOUT", "x"), true],
  [new PilothouseError("INVALID", "x"), false],
  [new PilothouseError("STATUS", "x", { retryable: true }), true],
  [new Error("x"), false],
  ["x", false],
])("%s is retryable: %s", (error, expected) => {
  expect(isRetryable(error)).toBe(expected)
})

const circular = new Error("circular")
circular.cause = circular

test.each([
  ["an error", new Error("a"), "a"],
  ["its causes", new Error("a", { cause: new Error("b", { cause: "c" }) }), "a: b: c"],
  [
    "a cause whose words were taken over",
    new Error("cannot: spawn x ENOENT", { cause: new Error("spawn x ENOENT") }),
    "cannot: spawn x ENOENT",
  ],
  ["a cause that says the same", new Error("spawn x ENOENT", { cause: new Error("spawn x ENOENT") }), "spawn x ENOENT"],
  ["a cause that only ends alike", new Error("no web", { cause: new Error("web") }), "no web: web"],
  ["not an error", "text", "text"],
  ["nothing", undefined, "undefined"],
  ["an error without a message", new TypeError(), "TypeError"],
  [
    "several errors at once",
    new AggregateError([new Error("::1 refused"), new Error("127.0.0.1 refused")]),
    "::1 refused; 127.0.0.1 refused",
  ],
  ["a cause that is itself", circular, "circular"],
])("messageOf: %s", (_, thrown, expected) => {
  expect(messageOf(thrown)).toBe(expected)
})
