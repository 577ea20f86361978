import { expect, test } from "vitest"
import { AbsentOwners } from "./absent-owners.ts"

test("AbsentOwnerCache: the least recently used are forgotten first", () => {
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
  const answer = async () => {
    asked++
    return "present" as const
  }
  await Promise.all([absent.ask("a", answer), absent.ask("a", answer), absent.ask("b", answer)])
  expect(asked).toBe(2)
  await expect(absent.ask("a", () => Promise.reject(new Error("no connection")))).rejects.toThrow("no connection")
  await absent.ask("a", answer)
  expect(asked).toBe(3)
})

test("at every moment a question is under way, or its answer is known", async () => {
  const absent = new AbsentOwners()
  let asked = 0
  const answer = async () => {
    asked++
    return "absent" as const
  }
  const askUnlessKnown = async () => absent.has("a") || (await absent.ask("a", answer))
  for (let moment = 0; moment < 20; moment++) {
    void askUnlessKnown()
    await Promise.resolve()
  }
  expect(asked).toBe(1)
  await absent.ask("b", async () => "unknown")
  expect([absent.has("a"), absent.has("b")]).toEqual([true, false])
})
