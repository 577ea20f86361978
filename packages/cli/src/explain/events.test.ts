import { type Pod, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { connectedCluster } from "../commands/testing/connection.ts"
import { eventsAbout } from "./events.ts"

const second = "2026-01-05T09:00:07Z"
/** In the order they come to the server. The scheduler tells its time to the microsecond, kubelets to the second. */
const told: readonly [reason: string, times: object][] = [
  ["Killing", { lastTimestamp: "2026-01-05T09:00:08Z" }],
  ["Scheduled", { eventTime: "2026-01-05T09:00:07.900000Z", action: "Binding", reportingComponent: "s", reportingInstance: "s-1" }],
  ["Pulling", { lastTimestamp: second }],
  ["Started", { lastTimestamp: second }],
]

test("events of a pod stand in the order in which they happened, and those of one second as they came", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  const spec = { schedulerName: "absent", containers: [{ name: "web", image: "web" }] }
  const pod = await connection.cluster.apply<Pod>({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec })
  const { uid } = (await connection.client.get(pods, "default/web")).metadata
  for (const [reason, times] of told) {
    const involvedObject = { kind: "Pod", namespace: "default", name: "web", uid }
    // Names in an order of their own: a list is sorted by them.
    const metadata = { name: `web.${[...reason].reverse().join("").toLowerCase()}`, namespace: "default" }
    await connection.cluster.apply({ apiVersion: "v1", kind: "Event", metadata, involvedObject, reason, type: "Normal", ...times } as never)
  }
  const found = await eventsAbout(connection.client, pod, Date.parse("2026-01-05T09:01:00Z"))
  expect(found.map(({ reason, age }) => `${age} ${reason}`)).toEqual(["52s Scheduled", "53s Pulling", "53s Started", "52s Killing"])
})
