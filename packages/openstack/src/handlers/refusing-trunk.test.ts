import { nodes } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { podPorts, podVif, readyPod, testPod } from "./testing/cluster.ts"
import { clients, objectsWithEvent } from "./testing/faults.ts"
import { nested } from "./testing/nested.ts"

interface Bulk {
  readonly ports?: readonly { readonly name: string }[]
}

test("pods that share a call with one whose trunk refuses have the port that was made for them, and no other is made", async () => {
  await using run = await nested("nested-vlan")
  const { neutron } = clients(run)
  const { nodeNetwork, nodeSubnet } = run.cloud.seed
  const fixed_ips = [{ subnet_id: nodeSubnet, ip_address: "192.168.0.11" }]
  const { id: port_id } = await neutron.ports.create({ network_id: nodeNetwork, name: "node2", fixed_ips })
  const { id: bad } = await neutron.trunks.create({ port_id })
  const addresses = [{ type: "InternalIP", address: "192.168.0.11" }]
  await run.cluster.client.patch(nodes, { metadata: { name: "node2" } }, { status: { addresses } }, { subresource: "status" })
  run.cloud.knobs.latency = 200
  run.cloud.fault = ({ path }) => (path === `/v2.0/trunks/${bad}/add_subports` ? { status: 400 } : undefined)
  const asked = () =>
    run.cloud.calls.flatMap(({ verb, path, body }) =>
      verb === "POST" && path === "/v2.0/ports" ? [(body as Bulk).ports?.map(({ name }) => name) ?? []] : [],
    )
  const good = Array.from({ length: 8 }, (_, at) => `web-${at}`)
  for (const [at, name] of good.entries()) {
    await run.cluster.apply(testPod(name))
    if (at % 4 === 1) await run.cluster.apply(testPod(`bad-${at}`, { nodeName: "node2" }))
  }
  for (const name of good) await readyPod(run, name)
  await run.cluster.advance("5m")
  // They did share one.
  expect(asked().some((names) => names.includes("bad-1") && names.some((name) => good.includes(name)))).toBe(true)
  for (const name of good)
    expect(
      asked().filter((names) => names.includes(name)),
      name,
    ).toHaveLength(1)
  expect(
    podPorts(run)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(good)
  expect([await podVif(run, "bad-1"), await objectsWithEvent(run, "KuryrPortFailed")]).toEqual([undefined, new Set(["bad-1", "bad-5"])])
})
