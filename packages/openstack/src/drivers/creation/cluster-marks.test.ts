import { expect, test } from "vitest"
import { isOfCluster, isOfOtherCluster, type Marked, markDescription, markedOwner, markTags, withMark } from "./cluster-marks.ts"

const one = { cluster: "one" }

test.each<[what: string, marked: unknown, found: readonly [ours: boolean, foreign: boolean, owner: string | undefined]]>([
  ["nothing", {}, [false, false, undefined]],
  ["null, as some services answer", { tags: null, description: null }, [false, false, undefined]],
  ["a word of its own", { tags: ["blue"], description: "of the web team" }, [false, false, undefined]],
  ["our tags", { tags: ["blue", ...markTags(one, "u")], description: "" }, [true, false, "u"]],
  ["our description, beside its own", { description: `of the web team ${markDescription(one, "u")}` }, [true, false, "u"]],
  ["a spare one's", { description: markDescription(one) }, [true, false, undefined]],
  ["another cluster's", { tags: markTags({ cluster: "two" }, "u") }, [false, true, "u"]],
])("whose an object is that says: %s", (_, marked, found) => {
  const it = marked as Marked
  expect([isOfCluster(it, one), isOfOtherCluster(it, one), markedOwner(it)]).toEqual(found)
})

test.each<[before: string | null, after: string]>([
  ["", markDescription(one, "u")],
  [null, markDescription(one, "u")],
  ["of the web team", `of the web team ${markDescription(one, "u")}`],
  [markDescription(one), markDescription(one, "u")],
  [markDescription(one, "u"), markDescription(one, "u")],
])("a mark stands beside what was there, and once: %o", (before, after) => {
  expect(withMark(before, one, "u")).toBe(after)
})
