import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { writeEnvtestAssets } from "./envtest-assets.ts"

const programs = { node: "/opt/node 24/bin/node", launcher: "/opt/cli/bin/pilothouse.js" }

function written(more: { readonly kubectl?: string } = {}) {
  const files = virtualFiles(new VirtualClock())
  writeEnvtestAssets(files, "/assets", { ...programs, ...more })
  const last = (name: string) =>
    Buffer.from(files.read(`/assets/${name}`) ?? "")
      .toString()
      .trimEnd()
      .split("\n")
      .at(-1)
  return { files, last }
}

test("the three programs of envtest are written, each of which its owner may start", () => {
  const { files, last } = written({ kubectl: "/usr/bin/kubectl" })
  expect(files.list("/assets")).toEqual(["etcd", "kube-apiserver", "kubectl"])
  for (const name of files.list("/assets")) expect(files.facts(`/assets/${name}`)?.mode).toBe(0o755)
  expect(last("kube-apiserver")).toBe(
    `exec '/opt/node 24/bin/node' /opt/cli/bin/pilothouse.js apiserver --ephemeral --data-dir "$directory" "$@"`,
  )
  expect(last("etcd")).toBe(`exec '/opt/node 24/bin/node' /opt/cli/bin/etcd-health.js "$@"`)
  expect(last("kubectl")).toBe(`exec /usr/bin/kubectl "$@"`)
})

test("without a kubectl this program takes its place", () => {
  expect(written().last("kubectl")).toBe(`exec '/opt/node 24/bin/node' /opt/cli/bin/pilothouse.js "$@"`)
})

test("its own files are written again, and others are refused before anything is written", () => {
  const { files } = written()
  writeEnvtestAssets(files, "/assets", programs)
  files.write("/other/kubectl", "a program")
  expect(() => writeEnvtestAssets(files, "/other", programs)).toThrow(
    "expected nothing at /other/kubectl, or what this command wrote, found another file; choose another directory",
  )
  expect(files.list("/other")).toEqual(["kubectl"])
})
