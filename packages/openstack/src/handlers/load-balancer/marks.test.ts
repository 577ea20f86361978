import { expect, test } from "vitest"
import { OpenStackError } from "../../clients/calls/errors.ts"
import type { FloatingIp } from "../../clients/neutron/types.ts"
import type { Listener, LoadBalancer, Pool } from "../../clients/octavia/types.ts"
import { markDescription, markTags } from "../../drivers/creation/cluster-marks.ts"
import { Marks, unmarkedParts } from "./marks.ts"

const clusterMarks = { cluster: "one" }
const tags = markTags(clusterMarks, "uid")

function refusal(text: string): OpenStackError {
  return new OpenStackError({ service: "octavia", kind: "invalid", status: 400, type: "", call: "POST /v2/lbaas/loadbalancers", text })
}

/** An Octavia that refuses every call with tags in it, in these words. */
function stage(words: string) {
  const marks = new Marks({ flavour: "octavia" }, clusterMarks)
  const said: string[] = []
  const call = async () => {
    const mark = marks.of("uid")
    said.push(Object.keys(mark).join())
    await Promise.resolve()
    if (mark.tags !== undefined) throw refusal(words)
    return mark
  }
  return { marks, said, call }
}

test("tags, beside those that are there; the old service has only descriptions", () => {
  expect(new Marks({ flavour: "octavia" }, clusterMarks).of("uid", { tags: ["blue"] })).toEqual({ tags: ["blue", ...tags] })
  expect(new Marks({ flavour: "neutron-lbaas" }, clusterMarks).of("uid", { description: "blue" })).toEqual({
    description: `blue ${markDescription(clusterMarks, "uid")}`,
  })
})

test.each([
  "Unknown attribute for argument loadbalancer: tags",
  "Unknown attributes for argument loadbalancer.listeners: tags, alpn_protocols",
])("where tags are not known (%s) descriptions say it, at once and from then on, also where two find out together", async (words) => {
  const { marks, said, call } = stage(words)
  const description = markDescription(clusterMarks, "uid")
  expect(await Promise.all([marks.write(call), marks.write(call)])).toEqual([{ description }, { description }])
  expect(await marks.write(call)).toEqual({ description })
  expect(said).toEqual(["tags", "tags", "description", "description", "description"])
})

test("throws any other refusal, and tags stay", async () => {
  const { marks, said, call } = stage("Invalid input for field/attribute tags")
  await expect(marks.write(call)).rejects.toMatchObject({ kind: "invalid" })
  expect([said, marks.of("uid")]).toEqual([["tags"], { tags }])
})

test.each<[what: string, description: string, found: readonly string[]]>([
  ["that kuryr took from the pool", "kuryr_lb", ["floating IP", "load balancer", "listener", "pool"]],
  ["that a user brought", "", ["load balancer", "listener", "pool"]],
  ["of ours", markDescription(clusterMarks, "uid"), ["load balancer", "listener", "pool"]],
])("what does not say whose it is, with a floating IP %s", (_, description, found) => {
  const part = { name: "default/web", tags: [], description: "" }
  const parts = { balancer: part as unknown as LoadBalancer, listeners: [part as unknown as Listener], pools: [part as unknown as Pool] }
  const floating = { id: "f", description, tags: [] as readonly string[] } as FloatingIp
  expect(unmarkedParts(clusterMarks, { ...parts, floating }).map(({ kind }) => kind)).toEqual(found)
  const marked = { ...part, tags } as unknown as LoadBalancer
  expect(unmarkedParts(clusterMarks, { ...parts, balancer: marked }).map(({ kind }) => kind)).toEqual(["listener", "pool"])
})
