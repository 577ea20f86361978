import { certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { kubeletRequest, signingRequest } from "../certificates/testing/requests.ts"

const only = { nodes: 0, controllers: ["csrcleaner"] }
const request = (name: string) => signingRequest({ name, pem: kubeletRequest, usages: ["client auth"], signerName: "example.com/x" })

async function deny({ client }: Cluster, name: string): Promise<void> {
  const denied = await client.get(certificateSigningRequests, name)
  const status = { conditions: [{ type: "Denied", status: "True" }] }
  await client.update(certificateSigningRequests, { ...denied, status }, { subresource: "approval" })
}

test("a denied request goes after an hour, and an undecided one stays", async () => {
  await using running = await cluster({ ...only, rbac: true })
  await running.apply([request("denied"), request("undecided")])
  await deny(running, "denied")
  const names = async () => (await running.list(certificateSigningRequests)).map(({ metadata }) => metadata.name)
  await running.advance("59m")
  expect(await names()).toEqual(["denied", "undecided"])
  await running.advance("2m")
  expect(await names()).toEqual(["undecided"])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(request("a"))
        await deny(running, "a")
        await running.advance("65m")
      },
    },
    { sample: 6, seed: 3, writers: ["certificatesigningrequest-cleaner-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
