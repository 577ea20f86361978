import { X509Certificate } from "node:crypto"
import { describe, expect, test } from "vitest"
import type { Connection } from "./connection.ts"
import {
  clientCertificate,
  clientKey,
  expiredServerCertificate,
  expiredServerKey,
  otherCa,
  serverCertificate,
} from "./testing/certificates.ts"
import { fixed, get, testConnections, textOf } from "./testing/connections.ts"
import { type TestServerOptions, testServer } from "./testing/server.ts"

const { started, connected } = testConnections()

describe("TLS says what is wrong and what to do", () => {
  const signed =
    'the server\'s certificate is signed by an unknown authority; put the authority that signed it into "certificate-authority-data" of the cluster'
  const rows: Record<string, { server?: TestServerOptions; client?: Partial<Connection>; says: string }> = {
    "an expired certificate": {
      server: { certificate: expiredServerCertificate, key: expiredServerKey },
      says: "the server's certificate has expired; renew it on the server, and check the clock of this machine (certificate has expired)",
    },
    "an unknown authority": { client: { authorities: () => otherCa }, says: `${signed} (unable to get local issuer certificate` },
    "no authority": { client: { authorities: () => undefined }, says: `${signed} (unable to get local issuer certificate` },
    "another name": {
      client: { serverName: "kubernetes.default" },
      says: 'the server\'s certificate is for another name; use one of its names in "server", or set "tls-server-name" (Hostname/IP does not match certificate\'s altnames: Host: kubernetes.default. is not in the cert\'s altnames: DNS:localhost, IP Address:127.0.0.1)',
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { server, client, says }) => {
    const { url } = await started((__, response) => response.end("{}"), { protocol: "HTTP/1.1 over TLS", ...server })
    const failure = connected({ server: url, ...client })(get)
    await expect(failure).rejects.toMatchObject({ code: "CONNECTION_LOST", retryable: false, message: expect.stringContaining(says) })
  })

  test.each(["HTTP/2", "HTTP/1.1 over TLS"] as const)(
    "a certificate that is not the pinned one is met before anything is sent (%s)",
    async (protocol) => {
      let requests = 0
      const { url } = await started(
        (_, response) => {
          requests++
          response.end('"well"')
        },
        { protocol },
      )
      const pin = (certificate: string) => new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase()
      const pinned = (...pins: readonly string[]) => textOf(connected({ server: url, authorities: () => undefined, pins }), get)
      for (const pins of [[], [pin(otherCa)]]) {
        await expect(pinned(...pins)).rejects.toMatchObject({
          retryable: false,
          message: expect.stringContaining("the server's certificate is not the one that is expected there"),
        })
      }
      expect(requests).toBe(0)
      expect(await pinned(pin(otherCa), pin(serverCertificate))).toBe('"well"')
    },
  )

  test("a server without TLS", async () => {
    const { port } = await started((_, response) => response.end("{}"), { protocol: "HTTP" })
    await expect(connected({ server: `https://127.0.0.1:${port}` })(get)).rejects.toMatchObject({
      message: expect.stringContaining('the server does not speak TLS; check the port, or begin "server" with http://'),
    })
  })

  test("another server than the API server is called by its name, with the whole of its address", async () => {
    const server = await testServer(() => {})
    await server.close()
    const peer = { name: "Keystone", address: "auth_url", authorities: "cacert" }
    await expect(connected({ server: `${server.url}/identity/v3/` }, { peer })({ ...get, path: "/auth/tokens" })).rejects.toMatchObject({
      message: `GET ${server.url}/identity/v3/auth/tokens failed: nothing listens there; check that Keystone runs, and the port in auth_url (connect ECONNREFUSED 127.0.0.1:${server.port})`,
    })
  })

  test("nothing listens", async () => {
    const server = await testServer(() => {})
    await server.close()
    await expect(connected({ server: server.url })(get)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      retryable: true,
      message: `GET ${server.url}/api/v1/pods failed: nothing listens there; check that the API server runs, and the port (connect ECONNREFUSED 127.0.0.1:${server.port})`,
    })
  })

  test("tls-server-name: the certificate is that of another name than the address", async () => {
    const { url } = await started((_, response) => response.end("{}"))
    expect(await textOf(connected({ server: url, serverName: "localhost" }), get)).toBe("{}")
  })

  test("a certificate that the authorities contain themselves is trusted, as Go does", async () => {
    const { url } = await started((_, response) => response.end("{}"))
    expect(await textOf(connected({ server: url, authorities: () => serverCertificate }), get)).toBe("{}")
  })

  test("insecure-skip-tls-verify: any certificate will do", async () => {
    const { url } = await started((_, response) => response.end("{}"), { certificate: expiredServerCertificate, key: expiredServerKey })
    expect(await textOf(connected({ server: url, insecure: true, authorities: () => undefined }), get)).toBe("{}")
  })

  test("a client certificate identifies", async () => {
    const credentials = fixed({ certificate: clientCertificate, key: clientKey })
    const { url } = await started((_, response) => response.end("{}"), { clientCertificates: true })
    expect(await textOf(connected({ server: url, credentials }), get)).toBe("{}")
  })
})
