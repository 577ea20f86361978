import { expect, test } from "vitest"
import { AbsentOwners } from "./absent-owners.ts"

test("AbsentOwnerCache: those that nobody asked for lately are forgotten first", () => {
  const absent = new AbsentOwners(2)
  absent.add("a")
  absent.add("b")
  expect(absent.has("a")).toBe(true)
  absent.add("c")
  expect(["a", "b", "c"].map((owner) => absent.has(owner))).toEqual([true, false, true])
})

test("a question that is under way is not asked again, and one that failed is", async () => {
  const absent = new AbsentOwners()
  let asked = 0
  const answer = () => Promise.resolve(++asked)
  expect(await Promise.all([absent.ask("a", answer), absent.ask("a", answer), absent.ask("b", answer)])).toEqual([1, 1, 2])
  await expect(absent.ask("a", () => Promise.reject(new Error("no connection")))).rejects.toThrow("no connection")
  expect(await absent.ask("a", answer)).toBe(3)
})
