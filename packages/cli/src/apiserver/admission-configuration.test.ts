import { seededRandom, silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { admissionConfigurationOf, imagePolicyOf } from "./admission-configuration.ts"

const podSecurity = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: LEVEL}\n"

function read(path: string, texts: Readonly<Record<string, string>>) {
  const files = virtualFiles(new VirtualClock())
  for (const [name, text] of Object.entries(texts)) files.write(name, text)
  return admissionConfigurationOf(path, files)
}

const configuration = (plugin: string) =>
  `apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: PodSecurity, ${plugin}}]\n`

test("reads the file that a plugin names beside the configuration", () => {
  const texts = {
    "/etc/admission.yaml": configuration("path: pod-security.yaml"),
    "/etc/pod-security.yaml": podSecurity.replace("LEVEL", "baseline"),
  }
  expect(read("/etc/admission.yaml", texts).PodSecurity?.defaults.enforce).toEqual({ level: "baseline", version: "latest" })
})

test.each([
  [
    "another kind",
    "kind: Pod\napiVersion: v1\n",
    "expected an AdmissionConfiguration of apiserver.config.k8s.io/v1 in /a, found Pod of v1",
  ],
  [
    "a level that is none",
    configuration(`configuration: {${podSecurity.replace("LEVEL", "x").trim().replaceAll("\n", ", ")}}`),
    "must be one of privileged",
  ],
  ["no YAML", "a: [", "expected YAML or JSON in /a"],
])("refuses %s", (_what, text, message) => {
  expect(() => read("/a", { "/a": text })).toThrow(message)
})

test("a server with ImagePolicyWebhook needs its configuration, and a webhook that it names", async () => {
  const clock = new VirtualClock()
  const seams = { clock, files: virtualFiles(clock), log: silentLog, random: seededRandom(1) }
  await using opened = new AsyncDisposableStack()
  const plugin = 'couldn\'t init admission plugin "ImagePolicyWebhook"'
  await expect(imagePolicyOf({}, seams, opened)).rejects.toThrow(`${plugin}: no config specified`)
  const settings = { kubeConfigFile: "/missing", allowTtl: 1, denyTtl: 1, retryBackoff: 1, defaultAllow: false }
  await expect(imagePolicyOf({ ImagePolicyWebhook: settings }, seams, opened)).rejects.toThrow(plugin)
})
