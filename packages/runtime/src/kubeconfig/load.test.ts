import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import { afterAll, describe, expect, test } from "vitest"
import { kubeconfigPaths, loadKubeconfig } from "./load.ts"
import type { Kubeconfig } from "./types.ts"

const base = mkdtempSync(join(tmpdir(), "pilothouse-kubeconfig-"))
afterAll(() => rmSync(base, { recursive: true }))

const dev = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: dev
  cluster: { server: "https://dev.example.com:6443", certificate-authority: ca/dev.crt, tls-server-name: kubernetes }
contexts:
- name: dev
  context: { cluster: dev, user: jane, namespace: web }
users:
- name: jane
  user: { client-certificate: jane.crt, client-key: /keys/jane.key }
`
const prod = `
current-context: prod
clusters:
- name: prod
  cluster: { server: "https://prod.example.com", insecure-skip-tls-verify: true, proxy-url: "http://proxy:3128" }
contexts:
- name: prod
  context: { cluster: prod, user: robot }
users:
- name: robot
  user: { token: abc }
- name: plugin
  user:
    exec: { apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, args: [-x], interactiveMode: Never }
`
const inline = `
current-context: inline
clusters:
- name: inline
  cluster: { server: "https://inline.example.com/path", certificate-authority-data: Y2E= }
contexts:
- name: inline
  context: { cluster: inline, user: inline }
- name: files
  context: { cluster: inline, user: files, namespace: web }
users:
- name: inline
  user: { client-certificate-data: Y2VydA==, client-key-data: a2V5 }
- name: files
  user: { client-certificate: ../jane.crt, client-key: keys/jane.key }
- name: password
  user: { username: jane, password: "0123" }
`
const again = `
current-context: again
contexts:
- name: dev
  context: { cluster: prod, user: robot }
clusters:
- name: dev
  cluster: { server: "https://other.example.com", proxy-url: "http://never-used" }
`

describe("merged as kubectl does", () => {
  test("the first file that has a name decides it, whole", async () => {
    const config = await load({ "/a": dev, "/b": again, "/c": prod }, { KUBECONFIG: ["/a", "/none", "/b", "/c", "/a"].join(delimiter) })
    expect(config?.currentContext).toBe("dev")
    expect(config?.contexts.get("dev")).toEqual({ cluster: "dev", user: "jane", namespace: "web" })
    expect(config?.clusters.get("dev")).toMatchObject({ server: "https://dev.example.com:6443" })
    expect(config?.clusters.get("dev")).not.toHaveProperty("proxy-url")
    expect([...(config?.users.keys() ?? [])]).toEqual(["jane", "robot", "plugin"])
    expect(config?.from).toEqual(["/a", "/b", "/c"])
  })

  test("a current-context comes from the first file that has one", async () => {
    const config = await load({ "/a": "clusters: []", "/b": prod }, { KUBECONFIG: `/a${delimiter}/b` })
    expect(config?.currentContext).toBe("prod")
  })

  test("paths begin at the directory of the file they stand in", async () => {
    const config = await load({ "/home/jane/a.yaml": dev, "/etc/b.yaml": prod }, { KUBECONFIG: `/home/jane/a.yaml${delimiter}/etc/b.yaml` })
    expect(config?.clusters.get("dev")?.["certificate-authority"]).toBe("/home/jane/ca/dev.crt")
    expect(config?.users.get("jane")).toMatchObject({ "client-certificate": "/home/jane/jane.crt", "client-key": "/keys/jane.key" })
    expect(config?.users.get("plugin")?.exec?.command).toBe("/etc/bin/login")
  })

  test("a command without a slash is looked for in PATH", async () => {
    const config = await load({ "/a": "users: [{ name: u, user: { exec: { command: aws } } }]" }, { KUBECONFIG: "/a" })
    expect(config?.users.get("u")?.exec?.command).toBe("aws")
  })
})

describe("where to look", () => {
  test("KUBECONFIG, each path once", () => {
    expect(kubeconfigPaths({ KUBECONFIG: ["/b", "", "/a", "/b"].join(delimiter), HOME: "/home/jane" })).toEqual(["/b", "/a"])
  })
  test("~/.kube/config", () => expect(kubeconfigPaths({ HOME: "/home/jane" })).toEqual(["/home/jane/.kube/config"]))
  test("nowhere without a home", () => expect(kubeconfigPaths({})).toEqual([]))
  test("nothing found is undefined", async () => expect(await load({}, { HOME: "/home/jane" })).toBeUndefined())
  test("an explicit path and no other", async () => {
    expect((await load({ "/a": dev, "/b": prod }, { KUBECONFIG: "/a" }, "/b"))?.currentContext).toBe("prod")
  })
})

describe("what is wrong is said with its place, and no secret is shown", () => {
  const rows: Record<string, { text: string; says: string }> = {
    "not YAML": {
      text: "clusters: [\ntoken: abc",
      says: "expected YAML in /k, found: Flow sequence in block collection must be sufficiently indented",
    },
    "not a kubeconfig": { text: "- a\n- b", says: "expected a kubeconfig in /k, found a list; check the path" },
    "plain text": { text: "hello", says: "expected a kubeconfig in /k, found text; check the path" },
    "another kind": { text: "kind: Pod", says: 'expected kind "Config" in /k, found "Pod"; this is not a kubeconfig' },
    "no list": { text: "clusters: { a: b }", says: "expected a list in clusters in /k, found fields; correct the file" },
    "no name": { text: "users: [{ user: { token: abc } }]", says: "expected a name in users[0] in /k, found none; add it" },
    "a name twice": {
      text: "contexts: [{ name: a }, { name: a }]",
      says: 'expected each name once in contexts in /k, found "a" twice; remove one',
    },
    "a password of digits": {
      text: "users: [{ name: u, user: { password: 0123 } }]",
      says: "expected text in users[0].user.password in /k, found a number; put it in quotes",
    },
    "a word for true": {
      text: 'clusters: [{ name: c, cluster: { insecure-skip-tls-verify: "true" } }]',
      says: "expected true or false in clusters[0].cluster.insecure-skip-tls-verify in /k, found text; correct the file",
    },
    "a current-context of digits": {
      text: "current-context: 1",
      says: "expected text in current-context in /k, found a number; put it in quotes",
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { text, says }) => {
    await expect(load({ "/k": text }, { KUBECONFIG: "/k" })).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining(says),
    })
  })

  test.each([
    ["in the excerpt of a line", "token: x: s3cret", "Nested mappings are not allowed in compact mappings at line 1, column 8"],
    ["after a quote that does not end", 'token: "s3cret', 'Missing closing "quote at line 1, column 15'],
    ["that looks like an alias", "password: *s3cret", "Unresolved alias (the anchor must be set before the alias)"],
    ["that looks like a block", "password: |s3cret", "Block scalar header includes extra characters at line 1, column 12"],
  ])("a secret %s is not shown", async (_, text, found) => {
    await expect(load({ "/k": text }, { KUBECONFIG: "/k" })).rejects.toMatchObject({
      code: "INVALID",
      message: `expected YAML in /k, found: ${found}; mend the file`,
    })
  })

  test("an explicit file that is not there", async () => {
    await expect(load({}, {}, "/none")).rejects.toMatchObject({
      code: "FILE",
      message: "expected a kubeconfig at /none, found no file; check the path",
    })
  })

  test("an empty file is an empty kubeconfig", async () => expect((await load({ "/k": "" }, { KUBECONFIG: "/k" }))?.clusters.size).toBe(0))
})

describe("@kubernetes/client-node reads the same from the same files", () => {
  const cases: Record<string, Record<string, string>> = {
    "one file": { "a/config": dev },
    "another file": { "b/config": prod },
    "what stands in the file itself, and keys beside it": { "c/config": inline },
    "two files in two directories": { "a/config": dev, "b/config": prod },
    "three files": { "a/config": dev, "c/config": inline, "b/config": prod },
  }
  test.each(Object.entries(cases))("%s", async (name, texts) => {
    const paths = Object.entries(texts).map(([path, text]) => {
      const full = join(base, name.replaceAll(" ", "-"), path)
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, text)
      return full
    })
    const ours = await loadKubeconfig({ files: systemFiles, environment: { KUBECONFIG: paths.join(delimiter) } })
    expect(summary(ours!)).toEqual(await theirs(paths))
  })
})

function load(texts: Record<string, string>, environment: Record<string, string>, path?: string): Promise<Kubeconfig | undefined> {
  const files = virtualFiles(new VirtualClock())
  for (const [name, text] of Object.entries(texts)) files.write(name, text)
  return loadKubeconfig({ files, environment, path })
}

/** What both have, in one shape. */
function summary({ clusters, users, contexts, currentContext }: Kubeconfig): unknown {
  return {
    currentContext,
    contexts: [...contexts].map(([name, { cluster, user, namespace }]) => ({ name, cluster, user, namespace })),
    clusters: [...clusters].map(([name, cluster]) => ({
      name,
      server: cluster.server,
      caFile: cluster["certificate-authority"],
      caData: cluster["certificate-authority-data"],
      skipTLSVerify: cluster["insecure-skip-tls-verify"] ?? false,
      tlsServerName: cluster["tls-server-name"],
      proxyUrl: cluster["proxy-url"],
    })),
    users: [...users].map(([name, user]) => ({
      name,
      certFile: user["client-certificate"],
      keyFile: user["client-key"],
      certData: user["client-certificate-data"],
      keyData: user["client-key-data"],
      token: user.token,
      username: user.username,
      password: user.password,
      args: user.exec?.args,
    })),
  }
}

/** With their option that keeps the first file's current-context, as kubectl does; names that come twice are an error for them. */
async function theirs(paths: readonly string[]): Promise<unknown> {
  const { KubeConfig } = await import("@kubernetes/client-node")
  const config = new KubeConfig()
  config.loadFromFile(paths[0]!)
  for (const path of paths.slice(1)) {
    const next = new KubeConfig()
    next.loadFromFile(path)
    config.mergeConfig(next, true)
  }
  return {
    currentContext: config.getCurrentContext(),
    contexts: config.getContexts().map(({ name, cluster, user, namespace }) => ({ name, cluster, user, namespace })),
    clusters: config.getClusters().map(({ name, server, caFile, caData, skipTLSVerify, tlsServerName, proxyUrl }) => ({
      name,
      server,
      caFile,
      caData,
      skipTLSVerify,
      tlsServerName,
      proxyUrl,
    })),
    users: config.getUsers().map(({ name, certFile, keyFile, certData, keyData, token, username, password, exec }) => ({
      name,
      certFile,
      keyFile,
      certData,
      keyData,
      token,
      username,
      password,
      args: exec?.args,
    })),
  }
}

test("a file that is too long is refused before it is parsed", async () => {
  const path = join(base, "long")
  writeFileSync(path, `kind: Config\nusers: [\n${"{".repeat(2 * 1024 * 1024)}`)
  await expect(loadKubeconfig({ files: systemFiles, environment: {}, path })).rejects.toMatchObject({
    code: "INVALID",
    message: `expected a kubeconfig of at most 2097152 characters in ${path}, found 2097174; keep only what is used, or give several files in KUBECONFIG`,
  })
})

describe("a file of very many short entries", () => {
  const load = (text: string) => {
    const files = virtualFiles(new VirtualClock())
    files.write("/k", text)
    return loadKubeconfig({ files, environment: {}, path: "/k" })
  }

  test("is refused before it is read", async () => {
    await expect(load(`kind: Config\nx:\n${"- a\n".repeat(10_000)}`)).rejects.toThrow(
      "expected a kubeconfig of at most 20000 line ends and other syntax in /k, found more",
    )
  })

  test("certificates do not count: 200 clusters of 8,000 characters are read", async () => {
    const data = "QUJD".repeat(2000)
    const entry = (index: number) =>
      `- name: c${index}\n  cluster: { server: "https://c${index}:6443", certificate-authority-data: ${data} }\n`
    const config = await load(`kind: Config\nclusters:\n${Array.from({ length: 200 }, (_, index) => entry(index)).join("")}`)
    expect(config?.clusters.size).toBe(200)
  })

  test("of a key that stands twice the last counts", async () => {
    expect((await load("current-context: a\ncurrent-context: b\n"))?.currentContext).toBe("b")
  })
})
