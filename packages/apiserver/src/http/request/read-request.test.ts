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

test("each header is read once, however many different users' attributes are named", () => {
  const readsOf = (count: number) => {
    const rawHeaders = Array.from({ length: count }, (_, index) => [`Impersonate-Extra-${index}`, "a"]).flat()
    let reads = 0
    const counted = new Proxy(rawHeaders, {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) reads++
        return Reflect.get(target, key)
      },
    })
    const headers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`impersonate-extra-${index}`, "a"]))
    expect(Object.keys(readHeaders({ headers, rawHeaders: counted }))).toHaveLength(count)
    return reads
  }
  expect(readsOf(1000)).toBe(10 * readsOf(100))
})
