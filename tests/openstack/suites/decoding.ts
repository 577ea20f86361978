import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { endpoints, pods } from "@pilothouse/api/core/v1"
import { endpointsIn, podIn, served, serviceIn, untilActive, untilMembers } from "@pilothouse/openstack/contracts/handlers"
import { expect, test } from "vitest"
import { onRealCloud } from "../on-real-cloud.ts"

/** Debian's has os_vif and oslo.versionedobjects: Neutron needs them. */
const python = "/usr/bin/python3"
const script = join(import.meta.dirname, "../python/decode.py")

interface Decoded {
  readonly type: string
  readonly again: string
}

/** What os_vif and oslo.versionedobjects make of annotations. */
function decoded(annotations: Readonly<Record<string, string>>): Readonly<Record<string, Decoded>> {
  const { stdout, stderr, status } = spawnSync(python, ["-W", "ignore", script], { input: JSON.stringify(annotations), encoding: "utf8" })
  expect(status, stderr.slice(-2000)).toBe(0)
  return JSON.parse(stdout) as Record<string, Decoded>
}

test("what is written on a pod, a Service and its Endpoints: os_vif and oslo.versionedobjects decode it, and write the same", async () => {
  await using run = await onRealCloud()
  await run.cluster.apply(podIn("web-0"))
  await run.cluster.apply(serviceIn("web"))
  await run.cluster.apply(endpointsIn("web", 1, [{ port: 8080 }]))
  await untilActive(run, "web-0")
  await untilMembers(run, "web", 1)
  const pod = await run.cluster.client.get(pods, `${served}/web-0`)
  const its = await run.cluster.client.get(endpoints, `${served}/web`)
  const written = Object.fromEntries(
    Object.entries({ ...pod.metadata.annotations, ...its.metadata.annotations }).filter(([key]) => key.startsWith("openstack.org/")),
  )
  const found = decoded(written)
  expect(Object.fromEntries(Object.entries(found).map(([key, { type }]) => [key, type]))).toEqual({
    "openstack.org/kuryr-vif": "VIFOpenVSwitch",
    "openstack.org/kuryr-lbaas-spec": "LBaaSServiceSpec",
    "openstack.org/kuryr-lbaas-state": "LBaaSState",
  })
  for (const [key, { again }] of Object.entries(found)) expect(again, key).toBe(written[key])
})
