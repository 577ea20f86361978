import { expect, test } from "vitest"
import { readHeaders } from "./read-request.ts"

test("of a header that names another user every value is kept apart, whatever commas it has", () => {
  const headers = { "impersonate-user": "bob", "impersonate-group": "CN=a,O=b, ops", accept: "a, b", ":path": "/" }
  const rawHeaders = [":path", "/", "Impersonate-User", "bob", "Impersonate-Group", "CN=a,O=b", "Accept", "a", "impersonate-group", "ops"]
  expect(readHeaders({ headers, rawHeaders })).toEqual({
    "impersonate-user": "bob",
    "impersonate-group": "CN=a,O=b\nops",
    accept: "a, b",
  })
})

test("a name that is not ASCII is read as UTF-8", () => {
  const latin = Buffer.from("zoë").toString("latin1")
  expect(readHeaders({ headers: { "impersonate-user": latin }, rawHeaders: ["Impersonate-User", latin] })["impersonate-user"]).toBe("zoë")
})
