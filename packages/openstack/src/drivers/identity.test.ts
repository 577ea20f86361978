import { expect, test } from "vitest"
import { isForeign, isOurs, type Marked, markOf, ownerIn, tagsOf, withMark } from "./identity.ts"

const one = { cluster: "one" }

test.each<[what: string, marked: unknown, found: readonly [ours: boolean, foreign: boolean, owner: string | undefined]]>([
  ["nothing", {}, [false, false, undefined]],
  ["null, as some services answer", { tags: null, description: null }, [false, false, undefined]],
  ["a word of its own", { tags: ["blue"], description: "of the web team" }, [false, false, undefined]],
  ["our tags", { tags: ["blue", ...tagsOf(one, "u")], description: "" }, [true, false, "u"]],
  ["our description, beside its own", { description: `of the web team ${markOf(one, "u")}` }, [true, false, "u"]],
  ["a spare one's", { description: markOf(one) }, [true, false, undefined]],
  ["another cluster's", { tags: tagsOf({ cluster: "two" }, "u") }, [false, true, "u"]],
])("whose an object is that says: %s", (_, marked, found) => {
  const it = marked as Marked
  expect([isOurs(it, one), isForeign(it, one), ownerIn(it)]).toEqual(found)
})

test.each<[before: string | null, after: string]>([
  ["", markOf(one, "u")],
  [null, markOf(one, "u")],
  ["of the web team", `of the web team ${markOf(one, "u")}`],
  [markOf(one), markOf(one, "u")],
  [markOf(one, "u"), markOf(one, "u")],
])("a mark stands beside what was there, and once: %o", (before, after) => {
  expect(withMark(before, one, "u")).toBe(after)
})
