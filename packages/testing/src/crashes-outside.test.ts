import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { type CustomOperation, controller, executor, plan } from "@pilothouse/runtime"
import { type Transport, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { crashPoints } from "./crash-points.ts"

interface PutRecord extends CustomOperation {
  readonly do: "put-record"
  readonly name: string
}

/** A zone of names behind an API. A record that is there is a conflict, unless the call says that it may be. */
function fakeZone(idempotent: boolean) {
  const records: string[] = []
  const transport: Transport = async ({ path }) => {
    const name = path.slice(1)
    if (!idempotent || !records.includes(name)) records.push(name)
    return { status: 200, headers: {}, body: valueBody({}) }
  }
  return { records, transport }
}

const putRecord = (zone: Transport) =>
  executor<PutRecord>("put-record", ({ name }) => zone({ verb: "POST", path: `/${name}`, query: {}, headers: {} }))

const records = (zone: Transport) =>
  controller("records", {
    for: configMaps,
    executors: [putRecord(zone)],
    observe: (key, read) => (key.startsWith("default/site") ? read.get(configMaps, key) : undefined),
    decide: (site) =>
      site.metadata.annotations?.recorded === "yes"
        ? plan().nothing("it is recorded")
        : plan()
            .operation({ do: "put-record", to: "the zone", reason: "it is missing", name: site.metadata.name ?? "" })
            .nextStep()
            .patch(site, { metadata: { annotations: { recorded: "yes" } } }, "its name is recorded"),
  })

const site: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "site", namespace: "default" } }

/** The zone is a new one for each run. */
function scenario(idempotent: boolean) {
  let zone = fakeZone(idempotent)
  return {
    cluster: ({ crashable }: { crashable(transport: Transport): Transport }) => {
      zone = fakeZone(idempotent)
      return { nodes: 0, controllers: [], extra: () => [records(crashable(zone.transport))] }
    },
    run: async (running: { apply(object: ConfigMap): Promise<unknown>; advance(duration: "1m"): Promise<void> }) => {
      await running.apply(site)
      await running.advance("1m")
    },
    end: async () => zone.records,
  }
}

test("crashes at calls of a transport of the user's own, with a new fake for each run", async () => {
  const { calls, tried } = await crashPoints(scenario(true))
  expect(tried).toBe(2 * calls)
})

test("finds a record that is made twice when the process dies after the call", async () => {
  await expect(crashPoints(scenario(false))).rejects.toThrow(/with a crash after call \d+ \(POST \/site\) the scenario ended otherwise/)
})
