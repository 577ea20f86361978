import { endpoints, services } from "@pilothouse/api/core/v1"
import type { Transport } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Connect } from "../../clients/calls/keystone.ts"
import { stateAnnotation } from "../annotations.ts"
import { testCluster, testService } from "../testing/cluster.ts"
import { expectFault, expectReady, give, members, othersUnaffected, withOthers } from "../testing/faults.ts"

/** Notes how Octavia answers what would change something. */
function answersInto(answers: string[]) {
  return (inner: Connect): Connect =>
    (url) => {
      const transport = inner(url)
      const noting: Transport = async (request) => {
        const answer = await transport(request)
        if (url.includes("octavia") && request.verb !== "GET") answers.push(`${request.verb} ${answer.status}`)
        return answer
      }
      return noting
    }
}

test("one change at a time: however fast a Service changes, a load balancer that is at work is never asked for another", async () => {
  const answers: string[] = []
  await using run = await testCluster({ layer: answersInto(answers) })
  run.cloud.knobs.loadBalancerDelay = 3_000
  const ports = [80, 81, 82].map((port) => ({ name: `p${port}`, port, targetPort: port, protocol: "TCP" }) as const)
  const apply = (spec: object) => run.cluster.apply(testService("busy", { selector: undefined, ...spec }))
  const served = (count: number, some: typeof ports) => {
    const addresses = Array.from({ length: count }, (_, at) => ({ ip: `10.10.9.${at + 1}` }))
    const subsets = [{ addresses, ports: some.map(({ name, port }) => ({ name, port, protocol: "TCP" })) }]
    return run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "busy", namespace: "default" }, subsets } as never)
  }
  await apply({ ports })
  for (let count = 1; count < 15; count++) {
    await served(count, ports)
    await run.cluster.advance("700ms")
  }
  await apply({ ports, type: "LoadBalancer", sessionAffinity: "ClientIP" })
  await run.cluster.advance("500ms")
  await apply({ ports: ports.slice(1), type: "LoadBalancer", loadBalancerSourceRanges: ["192.0.2.0/24"] })
  await served(4, ports.slice(1))
  await run.cluster.advance("500ms")
  await served(0, ports.slice(1))
  await run.cluster.advance("2m")
  await served(5, ports.slice(1))
  await run.cluster.advance("1m")
  expect(await members(run, "busy")).toBe(10)
  await run.cluster.client.delete(services, "default/busy")
  await run.cluster.advance("1m")
  expect([...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/busy")).toEqual([])
  expect(answers.length).toBeGreaterThan(10)
  expect(answers.filter((one) => !/ 20[0-9]$/.test(one))).toEqual([])
})

test("a state of an unknown newer major version: reported, neither overwritten nor acted upon, until it is removed", async () => {
  await using run = await withOthers()
  const edit = (text: string | null) =>
    run.cluster.client.patch(
      endpoints,
      { metadata: { namespace: "default", name: "other" } },
      { metadata: { annotations: { [stateAnnotation]: text } } },
    )
  const text = async () => (await run.cluster.client.get(endpoints, "default/other")).metadata.annotations?.[stateAnnotation]
  const right = (await text())!
  const newer = right.replaceAll('"versioned_object.version": "1.0"', '"versioned_object.version": "2.0"')
  await edit(newer)
  const writes = run.cloud.writes
  await give(run, "other", "10.10.9.1", "10.10.9.2")
  await run.cluster.advance("5m")
  const says = /kuryr-lbaas-state of the Endpoints default\/other cannot be read: .*version 1\.x.*found "2\.0".*mend or remove it/
  await expectFault(run, { handler: "lb", name: "other", reason: "KuryrLoadBalancerFailed", says })
  expect([await text(), run.cloud.writes]).toEqual([newer, writes])
  await edit(null)
  await run.cluster.advance("1m")
  expect(await members(run, "other")).toBe(2)
  await expectReady(run, "lb", "other")
})

test("one Service whose state cannot be read is nothing to the others", async () => {
  await using run = await withOthers()
  await run.cluster.apply(testService("broken", { selector: undefined }))
  await give(run, "broken", "10.10.9.7")
  await run.cluster.until(async () => (await members(run, "broken")) === 1)
  await run.cluster.client.patch(
    endpoints,
    { metadata: { namespace: "default", name: "broken" } },
    { metadata: { annotations: { [stateAnnotation]: "not even JSON" } } },
  )
  await run.cluster.advance("1m")
  await othersUnaffected(run)
})
