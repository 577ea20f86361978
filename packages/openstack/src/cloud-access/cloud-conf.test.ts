import { expect, test } from "vitest"
import { cloudOfCloudConf } from "./cloud-conf.ts"

const global = (lines: string) => cloudOfCloudConf(`[Global]\n${lines}\n[LoadBalancer]\nsubnet-id = s\n`)

test("reads the login of cloud-provider-openstack, where a tenant is a project", () => {
  const text = `auth-url = "https://keystone.example:5000/v3"
username = k8s
password = "se=cret"
tenant-name = shop
domain-name = Default
region = RegionOne
os-endpoint-type = internal
ca-file = /etc/ssl/cloud.pem`
  expect(global(text)).toEqual({
    access: {
      authUrl: "https://keystone.example:5000/v3",
      credentials: {
        type: "password",
        user: { name: "k8s", domain: { name: "Default" } },
        password: "se=cret",
        project: { name: "shop", domain: { name: "Default" } },
      },
      endpoints: {},
      region: "RegionOne",
      interface: "internal",
      caFile: "/etc/ssl/cloud.pem",
    },
  })
})

test("an application credential needs no project, and tls-insecure leaves the server unchecked", () => {
  const text = "auth-url = http://10.0.0.1/identity\napplication-credential-id = a\napplication-credential-secret = b\ntls-insecure = true"
  expect(global(text)).toMatchObject({ access: { credentials: { type: "application-credential", id: "a", secret: "b" }, verify: false } })
})

test("with use-clouds the cloud is one of clouds.yaml; without auth-url the file says nothing", () => {
  expect(global("use-clouds = true\ncloud = shop\nauth-url = http://10.0.0.1")).toEqual({ cloud: "shop" })
  expect(global("region = RegionOne")).toEqual({})
})

test.each([
  ["trust-id = t", /without trust-id, found it; use an application credential/],
  ["use-clouds = true\nclouds-file = /etc/clouds.yaml", /without clouds-file, found it; name the file in OS_CLIENT_CONFIG_FILE/],
  ["auth-url = http://10.0.0.1", /expected username \(or user_id\), password in \[Global\] of cloud.conf/],
])("%s is refused with what to do", (text, message) => {
  expect(() => global(text)).toThrow(message)
})
