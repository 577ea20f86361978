import { X509Certificate } from "node:crypto"
import { ensureCertificates } from "@pilothouse/apiserver"
import { seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { kubeconfig } from "./kubeconfig.ts"
import { userKubeconfig } from "./user-kubeconfig.ts"

async function setUp() {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  const seams = { clock, files, random: seededRandom(1) }
  const { ca, admin } = await ensureCertificates({ ...seams, directory: "/data/pki", serviceIp: "10.96.0.1" })
  return { ...seams, ca, config: kubeconfig({ server: "https://127.0.0.1:6443", ca: ca.certificate, ...admin }), directory: "/data" }
}

test("another user gets a certificate of the cluster's authority, for a year", async () => {
  const { ca, ...options } = await setUp()
  const made = userKubeconfig({ ...options, user: "jane", groups: ["dev", "ops"] })
  expect(made["current-context"]).toBe("jane@pilothouse")
  expect(made.clusters).toEqual(options.config.clusters)
  const [{ user }] = made.users as unknown as readonly [{ readonly user: Readonly<Record<string, string>> }]
  const certificate = new X509Certificate(Buffer.from(user["client-certificate-data"]!, "base64"))
  expect(certificate.subject).toBe("O=dev + O=ops\nCN=jane")
  expect(certificate.checkIssued(new X509Certificate(ca.certificate))).toBe(true)
  expect(certificate.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true)
  expect(Date.parse(certificate.validTo) - options.clock.now()).toBe(365 * 24 * 3_600_000)
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"])
})

test("without the cluster's authority it says where it looked", async () => {
  const options = await setUp()
  options.files.remove("/data/pki/ca.key")
  expect(() => userKubeconfig({ ...options, user: "jane", groups: [] })).toThrow(
    "expected the cluster's authority at /data/pki/ca.key, found nothing; name the data directory of the cluster with --data-dir",
  )
})
