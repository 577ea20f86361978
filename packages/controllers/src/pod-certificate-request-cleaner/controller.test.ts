import { formatTime } from "@pilothouse/api"
import { type PodCertificateRequest, podCertificateRequests } from "@pilothouse/api/certificates/v1beta1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { podCertificateRequest as request } from "../certificates/testing/pod-certificate-request.ts"
import { decide } from "./controller.ts"

const name = "podcertificaterequest-cleaner-controller"
const only = { nodes: 0, controllers: [name], enabledVersions: ["certificates.k8s.io/v1beta1"] }
const now = Date.UTC(2026, 0, 10)

const denied = { type: "Denied", status: "True", reason: "Test", message: "", lastTransitionTime: formatTime(now) } as const

test.each<[what: string, minutes: number, status: PodCertificateRequest["status"], isDeleted: boolean]>([
  ["pending for 14 minutes", 14, undefined, false],
  ["pending for 15 minutes", 15, undefined, true],
  ["denied, of 14 minutes", 14, { conditions: [denied] }, false],
  ["denied, of 15 minutes", 15, { conditions: [denied] }, true],
])("a request %s", (_what, minutes, status, isDeleted) => {
  const creationTimestamp = formatTime(now - minutes * 60_000)
  const made = decide(request("r", { metadata: { name: "r", creationTimestamp }, status }), now)
  expect(made.steps.flatMap(({ operations }) => operations).map(({ do: verb }) => verb)).toEqual(isDeleted ? ["delete"] : [])
  expect(made.requeue?.after).toBe(isDeleted ? undefined : 60_000)
})

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(podCertificateRequests)).map(({ metadata }) => metadata.name)
}

test("requests go after 15 minutes, each at its time", async () => {
  await using running = await cluster({ ...only, rbac: true })
  await running.apply(request("first"))
  await running.advance("10m")
  await running.apply(request("second"))
  await running.advance("4m")
  expect(await names(running)).toEqual(["first", "second"])
  await running.advance("2m")
  expect(await names(running)).toEqual(["second"])
  await running.advance("10m")
  expect(await names(running)).toEqual([])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(request("a"))
        await running.advance("20m")
      },
    },
    { sample: 6, seed: 3, writers: ["podcertificaterequest-cleaner-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
