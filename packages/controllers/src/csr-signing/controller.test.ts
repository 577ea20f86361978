import { X509Certificate } from "node:crypto"
import { certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { signerNames } from "../certificates/kubelet-request.ts"
import { kubeletRequest, requestPem, signingRequest, testAuthority } from "../certificates/testing/requests.ts"

const signers = Object.fromEntries(Object.values(signerNames).map((name) => [name, () => testAuthority(Date.UTC(2100, 0, 1))]))
const only = { nodes: 0, controllers: ["csrapproving", "csrsigning"], needs: { signers } }
const usages = ["digital signature", "key encipherment", "client auth"]
const jane = signingRequest({
  name: "jane",
  pem: requestPem({ commonName: "jane", organizations: ["dev"] }),
  usages,
  signerName: signerNames.apiServerClient,
  expirationSeconds: 3600,
})

async function approve({ client }: Cluster, name: string): Promise<void> {
  const request = await client.get(certificateSigningRequests, name)
  const conditions = [{ type: "Approved", status: "True", reason: "Asked", message: "by a test" }]
  await client.update(certificateSigningRequests, { ...request, status: { conditions } }, { subresource: "approval" })
}

async function certificateOf({ client }: Cluster, name: string): Promise<X509Certificate | undefined> {
  const text = (await client.get(certificateSigningRequests, name)).status?.certificate
  return text === undefined ? undefined : new X509Certificate(Buffer.from(text, "base64"))
}

test("a request is signed when it is approved, for as long as it says", async () => {
  await using running = await cluster({ ...only, rbac: true })
  await running.apply(jane)
  await running.settled()
  expect(await certificateOf(running, "jane")).toBeUndefined()
  await approve(running, "jane")
  await running.settled()
  const certificate = await certificateOf(running, "jane")
  expect(certificate?.subject).toBe("O=dev\nCN=jane")
  expect(Date.parse(certificate!.validTo)).toBe(Math.floor((running.clock.now() + 3_600_000) / 1000) * 1000)
})

test("what a kubelet requests is approved and signed without a user", async () => {
  await using running = await cluster(only)
  await running.apply(signingRequest({ name: "node", pem: kubeletRequest, usages, signerName: signerNames.kubeletClient }))
  await running.settled()
  expect((await certificateOf(running, "node"))?.subject).toBe("O=system:nodes\nCN=system:node:a")
})

test("a request that its signer refuses fails once", async () => {
  await using running = await cluster(only)
  await running.apply(
    signingRequest({ name: "bad", pem: kubeletRequest, usages: ["server auth"], signerName: signerNames.apiServerClient }),
  )
  await approve(running, "bad")
  await running.advance("1h")
  expect((await running.client.get(certificateSigningRequests, "bad")).status?.conditions).toMatchObject([
    { type: "Approved" },
    { type: "Failed", reason: "SignerValidationFailure", message: "invalid usage for client certificate: server auth" },
  ])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(signingRequest({ name: "bad", pem: kubeletRequest, usages: ["any"], signerName: signerNames.apiServerClient }))
        await approve(running, "bad")
        await running.advance("60s")
      },
    },
    { sample: 6, seed: 3, writers: ["certificatesigningrequest-signing-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
