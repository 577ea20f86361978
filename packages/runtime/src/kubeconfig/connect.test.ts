import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import {
  ca,
  clientCertificate,
  clientKey,
  expiredClientCertificate,
  expiredClientKey,
  otherCa,
  serverKey,
} from "../http/testing/certificates.ts"
import { type ClusterConnection, connect } from "./connect.ts"
import type { RunPlugin } from "./run-plugin.ts"

const account = "/var/run/secrets/kubernetes.io/serviceaccount"
const inPod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" }

interface Scene {
  readonly clock: VirtualClock
  readonly files: Files
  connect(options?: {
    context?: string
    kubeconfig?: string
    run?: RunPlugin
    environment?: Record<string, string>
  }): Promise<ClusterConnection>
}

function scene(texts: Record<string, string> = {}): Scene {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  for (const [path, text] of Object.entries(texts)) files.write(path, text)
  const run: RunPlugin = () => Promise.reject(new Error("no plugin here"))
  return {
    clock,
    files,
    connect: ({ environment = { HOME: "/h" }, ...options } = {}) => connect({ clock, files, environment, run, ...options }),
  }
}

/** A kubeconfig of one context, in JSON, which is YAML. */
function config(cluster: object, user: object = {}, more: object = {}): string {
  return JSON.stringify({
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://api:6443", ...cluster } }],
    users: [{ name: "u", user }],
    ...more,
  })
}

const base64 = (text: string) => Buffer.from(text).toString("base64")

async function one(cluster: object, user: object = {}): Promise<ClusterConnection> {
  return scene({ "/h/.kube/config": config(cluster, user) }).connect()
}

describe("the server", () => {
  const rows: Record<string, { cluster: object; server: string }> = {
    "as it is": { cluster: { server: "https://api:6443" }, server: "https://api:6443" },
    "with a path, without its last slash": {
      cluster: { server: "https://rancher/k8s/clusters/c-1/" },
      server: "https://rancher/k8s/clusters/c-1",
    },
    "without a scheme, with an authority": {
      cluster: { server: "api:6443", "certificate-authority-data": base64(ca) },
      server: "https://api:6443",
    },
    "without a scheme or an authority": { cluster: { server: "api:8080" }, server: "http://api:8080" },
  }
  test.each(Object.entries(rows))("%s", async (_, { cluster, server }) => expect((await one(cluster)).server).toBe(server))

  test("authorities inline", async () => expect((await one({ "certificate-authority-data": base64(ca) })).authorities()).toBe(ca))

  test("what stands inline wins over a file, which then need not be there", async () => {
    const connection = await one(
      { "certificate-authority-data": base64(ca), "certificate-authority": "/none/ca.crt" },
      {
        "client-certificate-data": base64(clientCertificate),
        "client-certificate": "/none/client.crt",
        "client-key-data": base64(clientKey),
        "client-key": "/none/client.key",
      },
    )
    expect(connection.authorities()).toBe(ca)
    expect(await connection.credentials.present()).toEqual({ certificate: clientCertificate, key: clientKey })
  })

  test("an authority's file is read again when it changed, at most every ten seconds", async () => {
    const { clock, files, connect } = scene({ "/h/.kube/config": config({ "certificate-authority": "ca.crt" }), "/h/.kube/ca.crt": ca })
    const connection = await connect()
    expect(connection.authorities()).toBe(ca)
    await clock.advance("1s")
    files.write("/h/.kube/ca.crt", otherCa)
    expect(connection.authorities()).toBe(ca)
    await clock.advance("9s")
    expect(connection.authorities()).toBe(otherCa)
    files.remove("/h/.kube/ca.crt")
    await clock.advance("10s")
    expect(connection.authorities()).toBe(otherCa)
  })

  test("tls-server-name, insecure-skip-tls-verify, proxy-url, namespace", async () => {
    const cluster = { "tls-server-name": "kubernetes", "insecure-skip-tls-verify": true, "proxy-url": "socks5://p:1080" }
    const expected = { serverName: "kubernetes", insecure: true, proxy: "socks5://p:1080", namespace: "default" }
    expect(await one(cluster)).toMatchObject(expected)
  })

  test("proxy-url wins over HTTPS_PROXY", async () => {
    const { connect } = scene({ "/h/.kube/config": config({ "proxy-url": "http://one" }), "/k": config({}) })
    const environment = { HOME: "/h", HTTPS_PROXY: "http://two" }
    expect((await connect({ environment })).proxy).toBe("http://one")
    expect((await connect({ environment, kubeconfig: "/k" })).proxy).toBe("http://two")
  })

  test("another context than the current one", async () => {
    const more = {
      contexts: [
        { name: "x", context: { cluster: "none" } },
        { name: "y", context: { cluster: "c", namespace: "web" } },
      ],
    }
    const { connect } = scene({ "/h/.kube/config": config({}, {}, more) })
    expect((await connect({ context: "y" })).namespace).toBe("web")
  })
})

describe("who asks", () => {
  const rows: Record<string, { user: object; presents: object }> = {
    anonymous: { user: {}, presents: {} },
    "a token": { user: { token: "abc\n" }, presents: { authorization: "Bearer abc" } },
    "user and password": { user: { username: "jane", password: "x:y" }, presents: { authorization: `Basic ${base64("jane:x:y")}` } },
    "a certificate": {
      user: { "client-certificate-data": base64(clientCertificate), "client-key-data": base64(clientKey) },
      presents: { certificate: clientCertificate, key: clientKey },
    },
    "a certificate and a token": {
      user: { "client-certificate-data": base64(clientCertificate), "client-key-data": base64(clientKey), token: "abc" },
      presents: { authorization: "Bearer abc", certificate: clientCertificate, key: clientKey },
    },
    "a token, though there is a plugin": { user: { token: "abc", exec: { command: "never" } }, presents: { authorization: "Bearer abc" } },
  }
  test.each(Object.entries(rows))("%s", async (_, { user, presents }) => {
    expect(await (await one({}, user)).credentials.present()).toEqual(presents)
  })

  test("sends no token over an unencrypted connection", async () => {
    expect(await (await one({ server: "http://api:8080" }, { token: "abc" })).credentials.present()).toEqual({})
  })

  test("another user, by impersonation", async () => {
    const user = { as: "jane", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": { "Example.com/Scope": ["x"] } }
    expect((await one({}, user)).headers).toEqual({
      "impersonate-user": "jane",
      "impersonate-uid": "7",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-example.com%2Fscope": ["x"],
    })
  })

  test("a token file is read again when it changed: once a minute, or at once when the token was refused", async () => {
    const { clock, files, connect } = scene({
      "/h/.kube/config": config({}, { tokenFile: "token", token: "unused" }),
      "/h/.kube/token": "one\n",
    })
    const { credentials } = await connect()
    const first = await credentials.present()
    expect(first).toEqual({ authorization: "Bearer one" })
    expect(await credentials.refused(first)).toBe(false)
    await clock.advance("30s")
    files.write("/h/.kube/token", "two\n")
    expect(await credentials.present()).toEqual({ authorization: "Bearer one" })
    expect(await credentials.refused(first)).toBe(true)
    expect(await credentials.present()).toEqual({ authorization: "Bearer two" })
    // Another request was refused at the same time, and the file has been looked at already.
    expect(await credentials.refused(first)).toBe(true)
    await clock.advance("1s")
    files.write("/h/.kube/token", "three")
    await clock.advance("60s")
    expect(await credentials.present()).toEqual({ authorization: "Bearer three" })
  })
})

describe("in a pod", () => {
  const pod = { [`${account}/token`]: "tok", [`${account}/ca.crt`]: ca, [`${account}/namespace`]: "web\n" }

  test("the service account, when there is no kubeconfig", async () => {
    const connection = await scene(pod).connect({ environment: { ...inPod, HOME: "/root" } })
    expect(connection).toMatchObject({ server: "https://10.96.0.1:443", namespace: "web" })
    expect(connection.authorities()).toBe(ca)
    expect(await connection.credentials.present()).toEqual({ authorization: "Bearer tok" })
  })

  test("an IPv6 address in brackets", async () => {
    const environment = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" }
    expect((await scene(pod).connect({ environment })).server).toBe("https://[fd00::1]:443")
  })

  test("POD_NAMESPACE wins over the account's; HTTPS_PROXY counts, unless NO_PROXY has the server", async () => {
    const environment = { ...inPod, POD_NAMESPACE: "other", HTTPS_PROXY: "http://proxy:3128" }
    expect(await scene(pod).connect({ environment })).toMatchObject({ namespace: "other", proxy: "http://proxy:3128" })
    const around = await scene(pod).connect({ environment: { ...environment, NO_PROXY: "10.96.0.0/12" } })
    expect(around.proxy).toBeUndefined()
  })

  test("a kubeconfig wins", async () => {
    const connection = await scene({ ...pod, "/k": config({}) }).connect({ environment: { ...inPod, KUBECONFIG: "/k" } })
    expect(connection.server).toBe("https://api:6443")
  })
})

describe("bad input: expected, found, what to do", () => {
  const at = "/h/.kube/config"
  const certificate = { "client-certificate-data": base64(clientCertificate), "client-key-data": base64(clientKey) }
  const rows: Record<
    string,
    { files?: Record<string, string>; context?: string; environment?: Record<string, string>; code: string; says: string }
  > = {
    "no kubeconfig anywhere": {
      files: {},
      code: "NO_CLUSTER",
      says: `expected a kubeconfig with a context at ${at}, or a pod's service account, found neither; set KUBECONFIG, or give the path of a kubeconfig`,
    },
    "KUBECONFIG names files that are not there": {
      files: {},
      environment: { KUBECONFIG: "/a:/b" },
      code: "NO_CLUSTER",
      says: "expected a kubeconfig with a context in KUBECONFIG (/a, /b), or a pod's service account, found neither; set KUBECONFIG, or give the path of a kubeconfig",
    },
    "no current-context": {
      files: { [at]: config({}, {}, { "current-context": "" }) },
      code: "INVALID",
      says: `expected a current-context in ${at}, found none; choose a context (x)`,
    },
    "an unknown context": {
      files: { [at]: config({}) },
      context: "z",
      code: "INVALID",
      says: `expected a context of ${at} (x), found "z"; choose one of these`,
    },
    "a missing cluster": {
      files: { [at]: config({}, {}, { clusters: [] }) },
      code: "INVALID",
      says: `expected a cluster of ${at} (there are none) in context "x", found "c"; correct the context, or add the cluster`,
    },
    "a missing user": {
      files: { [at]: config({}, {}, { users: [{ name: "other" }] }) },
      code: "INVALID",
      says: `expected a user of ${at} (other) in context "x", found "u"; correct the context, or add the user`,
    },
    "no server": {
      files: { [at]: config({ server: "" }) },
      code: "INVALID",
      says: `expected a server in cluster "c" in ${at}, found none; add it, for example https://10.0.0.1:6443`,
    },
    "a server that is no address": {
      files: { [at]: config({ server: "ftp://x" }) },
      code: "INVALID",
      says: `expected an address that begins with https:// or http:// as server of cluster "c" in ${at}, found "ftp://x"; correct it`,
    },
    "an authority's file that is not there": {
      files: { [at]: config({ "certificate-authority": "ca.crt" }) },
      code: "FILE",
      says: 'expected the certificate-authority of cluster "c" at /h/.kube/ca.crt, found no file; check the path',
    },
    "an authority that is a directory": {
      files: { [at]: config({ "certificate-authority": "." }) },
      code: "FILE",
      says: "expected a file at /h/.kube, found a directory; choose another path",
    },
    "an authority that is no PEM": {
      files: { [at]: config({ "certificate-authority": "ca.crt" }), "/h/.kube/ca.crt": "hello" },
      code: "INVALID",
      says: 'expected PEM ("-----BEGIN …") in the certificate-authority of cluster "c" in /h/.kube/ca.crt, found something else; check that it is not DER or empty',
    },
    "bad base64": {
      files: { [at]: config({}, { ...certificate, "client-key-data": "LS0tLS1C*" }) },
      code: "INVALID",
      says: `expected base64 in the client-key of user "u" in ${at}, found other characters or a wrong length; copy it again, whole and on one line`,
    },
    "an authority and insecure-skip-tls-verify": {
      files: { [at]: config({ "certificate-authority-data": base64(ca), "insecure-skip-tls-verify": true }) },
      code: "INVALID",
      says: `expected either a certificate-authority or insecure-skip-tls-verify in cluster "c" in ${at}, found both; remove one`,
    },
    "a certificate without its key": {
      files: { [at]: config({}, { "client-certificate-data": base64(clientCertificate) }) },
      code: "INVALID",
      says: `expected client-key or client-key-data beside the client-certificate of user "u" in ${at}, found none; add it`,
    },
    "a certificate with another key": {
      files: { [at]: config({}, { ...certificate, "client-key-data": base64(serverKey) }) },
      code: "CREDENTIALS",
      says: `expected the client key of user "u" in ${at} to belong to its certificate, found another key; use the two that were made together`,
    },
    "an expired certificate": {
      files: {
        [at]: config({}, { "client-certificate-data": base64(expiredClientCertificate), "client-key-data": base64(expiredClientKey) }),
      },
      code: "CREDENTIALS",
      says: `expected a client certificate of user "u" in ${at} that is valid now, found one that ended at 2021-01-01T00:00:00Z; get a new one from the administrator of the cluster`,
    },
    "a token and a password": {
      files: { [at]: config({}, { token: "a", username: "b" }) },
      code: "INVALID",
      says: `expected one way to identify user "u" in ${at}, found a token and a username; remove one`,
    },
    "a token with a line break inside": {
      files: { [at]: config({}, { token: "a\nb" }) },
      code: "INVALID",
      says: `expected printable characters without spaces in the token of user "u" in ${at}, found others; copy it again`,
    },
    "an empty token file": {
      files: { [at]: config({}, { tokenFile: "t" }), "/h/.kube/t": "\n" },
      code: "CREDENTIALS",
      says: 'expected a token in the token file of user "u" (/h/.kube/t), found an empty file; have it written again',
    },
    "a token file with a line break inside": {
      files: { [at]: config({}, { tokenFile: "t" }), "/h/.kube/t": "a\nb" },
      code: "INVALID",
      says: 'expected printable characters without spaces in the token file of user "u" (/h/.kube/t), found others; copy it again',
    },
    "a token file that is not there": {
      files: { [at]: config({}, { tokenFile: "t" }) },
      code: "FILE",
      says: 'expected the token file of user "u" at /h/.kube/t, found no file; check the path',
    },
    "an auth-provider": {
      files: { [at]: config({}, { "auth-provider": { name: "gcp" } }) },
      code: "INVALID",
      says: `expected a token, certificate or exec plugin of user "u" in ${at}, found the auth-provider gcp; use an exec plugin (kubelogin, gke-gcloud-auth-plugin) instead`,
    },
    "groups without a user": {
      files: { [at]: config({}, { "as-groups": ["a"] }) },
      code: "INVALID",
      says: `expected "as" beside as-uid, as-groups or as-user-extra of user "u" in ${at}, found none; name the user to impersonate`,
    },
    "a proxy of another kind": {
      files: { [at]: config({ "proxy-url": "ftp://p" }) },
      code: "INVALID",
      says: `expected an address that begins with http://, https:// or socks5:// as proxy-url of cluster "c" in ${at}, found another; correct it`,
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { files, context, environment, code, says }) => {
    await expect(scene(files).connect({ context, environment })).rejects.toMatchObject({ code, message: says })
  })
})
