import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { cloudSettings } from "./cloud-settings.ts"

const options = "[neutron_defaults]\nproject = p\npod_subnet = a\nservice_subnet = b\npod_security_groups = g\n"
const login = "[neutron]\nauth_url = http://conf:5000/v3\nusername = kuryr\npassword = secret\nproject_name = k8s\ncafile = /ca.pem\n"
const clouds = "clouds: { east: { auth: { auth_url: 'http://east:5000/v3', username: u, password: p, project_name: k8s } } }\n"

function read(files: Readonly<Record<string, string>>, choice: { configFile?: string; cloud?: string } = {}, environment = {}) {
  const there = virtualFiles(new VirtualClock())
  for (const [path, text] of Object.entries(files)) there.write(path, text)
  return cloudSettings({ configFile: "", cloud: "", ...choice }, { files: there, environment, directory: "/here" })
}

test("options and credentials of one kuryr.conf", () => {
  const { configuration, access } = read({ "/k.conf": `${options}${login}` }, { configFile: "/k.conf" })
  expect([configuration.podSubnet, access.authUrl, access.caFile]).toEqual(["a", "http://conf:5000/v3", "/ca.pem"])
  expect(access.credentials).toMatchObject({ type: "password", user: { name: "kuryr" }, project: { name: "k8s" } })
})

test("a cloud that is named wins over the file's own", () => {
  const files = { "/k.conf": `${options}${login}`, "/here/clouds.yaml": clouds }
  expect(read(files, { configFile: "/k.conf", cloud: "east" }).access.authUrl).toBe("http://east:5000/v3")
})

test("a clouds.yaml that cannot be read shows nothing of its passwords", () => {
  const attempt = () =>
    read({ "/k.conf": options, "/here/clouds.yaml": "clouds: { east: { auth: { password: *hush } } }" }, { configFile: "/k.conf" })
  expect(attempt).toThrow("expected YAML in /here/clouds.yaml, found: Unresolved alias")
  expect(attempt).not.toThrow("hush")
})

test("without [neutron], clouds.yaml or OS_* variables are asked", () => {
  expect(read({ "/k.conf": options, "/here/clouds.yaml": clouds }, { configFile: "/k.conf" }).access.authUrl).toBe("http://east:5000/v3")
  const environment = { OS_AUTH_URL: "http://env:5000/v3", OS_USERNAME: "u", OS_PASSWORD: "p", OS_PROJECT_NAME: "k8s" }
  expect(read({ "/k.conf": options }, { configFile: "/k.conf" }, environment).access.authUrl).toBe("http://env:5000/v3")
})

test("the same sections as keys of a YAML file", () => {
  const text =
    "neutron_defaults: { project: p, pod_subnet: a, service_subnet: b, pod_security_groups: [g, h] }\nvif_pool: { ports_pool_min: 7 }\n"
  const { configuration } = read({ "/k.yaml": text, "/here/clouds.yaml": clouds }, { configFile: "/k.yaml" })
  expect([configuration.podSecurityGroups, configuration.pool.min]).toEqual([["g", "h"], 7])
})

test("everything that is missing is named at once, options and credentials, with where to find them", () => {
  expect(() => read({})).toThrow(
    /project is missing; `openstack project list`[^]*pod_subnet is missing[^]*service_subnet is missing[^]*pod_security_groups is missing[^]*found no clouds.yaml and no OS_AUTH_URL[^]*--config-file names a kuryr.conf/,
  )
})

test("a file that is not there is named", () => {
  expect(() => read({}, { configFile: "/none.conf" })).toThrow("expected a kuryr.conf at /none.conf, found no such file")
})

test.each<[name: string, path: string, text: string, says: string]>([
  ["a clouds.yaml", "/c.yaml", clouds, "found a clouds.yaml; --os-cloud NAME chooses a cloud of it"],
  ["a clouds.yaml of another name", "/c.conf", `# mine\n---\n${clouds}`, "found a clouds.yaml; --os-cloud NAME chooses a cloud of it"],
  ["a clouds.json", "/c.json", JSON.stringify({ clouds: {} }), "found a clouds.yaml; "],
  ["a kubeconfig", "/kubeconfig", "apiVersion: v1\nkind: Config\n", "found a kubeconfig; --kubeconfig takes it"],
  ["a kubeconfig as YAML", "/k.yaml", "apiVersion: v1\nkind: Config\n", "found a kubeconfig; --kubeconfig takes it"],
  ["an openrc", "/openrc", "#!/bin/sh\nexport OS_PASSWORD=hush\n", "found an openrc file; source it in your shell"],
  ["a section that is none", "/k.yaml", "neutron_defaults: 7\n", "found neutron_defaults with no options below it"],
  ["an empty section", "/k.yaml", "neutron_defaults:\n", "found neutron_defaults with no options below it"],
  ["a list", "/k.yaml", "- a\n", "found something else"],
])("instead of a kuryr.conf, %s is named as what it is", (_name, path, text, says) => {
  const attempt = () => read({ [path]: text }, { configFile: path })
  expect(attempt).toThrow(says)
  expect(attempt).not.toThrow("hush")
})

test("a kuryr.conf may be called as it likes", () => {
  const { configuration } = read({ "/k.yaml": `# ours\n${options}${login}` }, { configFile: "/k.yaml" })
  expect(configuration.podSubnet).toBe("a")
})

test("a cloud that was named and is not there comes before the options that are missing", () => {
  const attempt = () => read({ "/here/clouds.yaml": clouds }, { cloud: "nosuch" })
  expect(attempt).toThrow(/^expected cloud nosuch, found only the cloud east; [^\n]*\(\/here\/clouds.yaml\)\n[^]*project is missing/)
})

test.each<[name: string, files: Record<string, string>, cloud: string, end: string]>([
  ["without a login of its own", { "/k.conf": options }, "", "(/k.conf has no auth_url in [neutron], so that others were asked)"],
  ["with half a login", { "/k.conf": `${options}[neutron]\nauth_url = http://k/v3\n` }, "", "(/k.conf)"],
  ["beside a cloud that was named", { "/k.conf": `${options}${login}` }, "nosuch", "(--os-cloud wins over [neutron] of /k.conf)"],
])("a kuryr.conf %s: the last line says which file it is about", (_name, files, cloud, end) => {
  expect(() => read(files, { configFile: "/k.conf", cloud })).toThrow(end)
})

test("a login that is misspelt is named where there is no other", () => {
  const attempt = () => read({ "/k.conf": `${options}${login.replace("auth_url", "auth_ulr")}` }, { configFile: "/k.conf" })
  expect(attempt).toThrow(/means nothing here: \[neutron\] auth_ulr; did you mean auth_url\?\nexpected one cloud, found no clouds.yaml/)
})

test("a repeated option is reported, and the last one counts", () => {
  const { configuration, repeated } = read({ "/k.conf": `${options}pod_subnet = c\n${login}` }, { configFile: "/k.conf" })
  expect([configuration.podSubnet, repeated]).toEqual(["c", ["[neutron_defaults] pod_subnet"]])
})
