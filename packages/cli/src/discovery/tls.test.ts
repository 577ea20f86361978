import { createClient } from "@pilothouse/runtime"
import { type Transport, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { xdsTls } from "./tls.ts"

const clock = new VirtualClock()
const files = virtualFiles(clock)
for (const path of ["/cert", "/ca"]) files.write(path, "-----BEGIN CERTIFICATE-----")
files.write("/key", "-----BEGIN PRIVATE KEY-----")
const pair = { tlsCertFile: "/cert", tlsPrivateKeyFile: "/key" }

/** A cluster that knows one token, or does not answer. */
function cluster(known?: string, onAsked?: (spec: object) => void) {
  const transport: Transport = async ({ body }) => {
    if (known === undefined) throw new Error("no server there")
    const { value } = body as { readonly value: { readonly spec: { readonly token: string } } }
    onAsked?.(value.spec)
    const { token } = value.spec
    const status = token === known ? { authenticated: true } : { authenticated: false, error: "no such token" }
    return {
      status: 201,
      headers: {},
      body: { type: "value", value: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {}, status } },
    }
  }
  return createClient(transport, {})
}

test("without flags it is plain", () => {
  expect(xdsTls({}, files, [], clock)).toBeUndefined()
})

test.each([
  ["a certificate without its key", { tlsCertFile: "/cert" }, /expected --tls-cert-file and --tls-private-key-file together/],
  ["a client authority without TLS", { clientCaFile: "/ca" }, /certificates need TLS/],
  ["a file that is not there", { ...pair, tlsCertFile: "/none" }, /expected a file at \/none for --tls-cert-file/],
])("%s is refused", (_title, flags, message) => {
  expect(() => xdsTls(flags, files, [], clock)).toThrow(message)
})

test.each([
  ["a token that the cluster knows", "good", "good", undefined],
  ["a token that it does not", "bad", "good", "the cluster does not know the token: no such token"],
  ["no token", undefined, "good", "expected a bearer token of a service account, found none"],
])("without a client authority: %s", async (_title, token, known, expected) => {
  const tls = xdsTls(pair, files, [cluster(known)], clock)
  expect(await tls?.authenticate({ uris: [], ...(token === undefined ? {} : { token }) })).toEqual(expected)
})

test("a token of any of the clusters is good", async () => {
  const tls = xdsTls(pair, files, [cluster("first"), cluster(), cluster("third")], clock)
  expect(await tls?.authenticate({ uris: [], token: "third" })).toBeUndefined()
})

test("a token that no cluster knows is refused; where one of them could not be asked, the answer is unknown", async () => {
  const all = xdsTls(pair, files, [cluster("first"), cluster("second")], clock)
  expect(await all?.authenticate({ uris: [], token: "fourth" })).toMatch(/^the cluster does not know the token: .*does not know/)
  const some = xdsTls(pair, files, [cluster("first"), cluster(), cluster("third")], clock)
  await expect(some?.authenticate({ uris: [], token: "fourth" })).rejects.toMatchObject({
    code: "CONNECTION_LOST",
    message: expect.stringMatching(/does not know.*could not be asked.*does not know/) as string,
  })
})

test("clusters are asked whom a token is meant for", async () => {
  const asked: unknown[] = []
  const tls = xdsTls({ ...pair, tokenAudience: ["istio-ca"] }, files, [cluster("good", (spec) => asked.push(spec))], clock)
  await tls?.authenticate({ uris: [], token: "good" })
  expect(asked).toEqual([{ token: "good", audiences: ["istio-ca"] }])
})

test("with a client authority a certificate is enough", async () => {
  const tls = xdsTls({ ...pair, clientCaFile: "/ca" }, files, [], clock)
  expect(tls?.clientAuthority).toContain("BEGIN CERTIFICATE")
  expect(await tls?.authenticate({ uris: [], commonName: "client" })).toBeUndefined()
})

test("a client could make it ask the API server without end: 100 tokens a second, and 1,000 at once, are asked about", async () => {
  const own = new VirtualClock()
  let asked = 0
  const tls = xdsTls(pair, files, [cluster("good", () => asked++)], own)
  const ask = async (count: number) => {
    const answers = Array.from({ length: count }, (_, token) => tls?.authenticate({ uris: [], token: `t${token}` }))
    return (await Promise.allSettled(answers)).filter(({ status }) => status === "rejected").length
  }
  expect([await ask(3000), asked]).toEqual([2000, 1000])
  await own.advance("1s")
  expect([await ask(3000), asked]).toEqual([2900, 1100])
  expect(await tls?.authenticate({ uris: [], token: "x".repeat(20_000) })).toContain("at most 16384 characters")
})
