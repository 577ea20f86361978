import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type FindCloudOptions, findCloud } from "./find-cloud.ts"

const clouds = {
  clouds: {
    one: {
      region_name: "A",
      interface: "internalURL",
      verify: false,
      auth: {
        auth_url: "http://one/v3",
        username: "u",
        password: "p",
        project_name: "x",
        user_domain_name: "Users",
        project_domain_id: "pd",
      },
      network_endpoint_override: "http://net",
    },
    app: {
      auth_type: "v3applicationcredential",
      regions: [{ name: "B" }],
      auth: { auth_url: "http://app", application_credential_id: "i" },
    },
    token: { auth: { auth_url: "http://t", token: "abc", project_id: "pid", password: "ignored" } },
  },
}

/** YAML is a superset of JSON: the tests need no parser for more. */
function find(files: Readonly<Record<string, unknown>>, environment: FindCloudOptions["environment"], cloud?: string) {
  const disk = virtualFiles(new VirtualClock())
  for (const [path, value] of Object.entries(files)) disk.write(path, JSON.stringify(value))
  return findCloud({
    files: disk,
    environment,
    directory: "/here",
    parseYaml: (text) => JSON.parse(text) as unknown,
    ...(cloud === undefined ? {} : { cloud }),
  })
}

describe("a cloud of clouds.yaml", () => {
  test("by OS_CLOUD, with everything it says", () => {
    expect(find({ "/etc/openstack/clouds.yaml": clouds }, { OS_CLOUD: "one" })).toEqual({
      authUrl: "http://one/v3",
      region: "A",
      interface: "internal",
      verify: false,
      endpoints: { network: "http://net" },
      credentials: {
        type: "password",
        user: { name: "u", domain: { name: "Users" } },
        password: "p",
        project: { name: "x", domain: { id: "pd" } },
      },
    })
  })

  test("secrets come from secure.yaml, and the first region counts", () => {
    const secure = { clouds: { app: { auth: { application_credential_secret: "s" } } } }
    const files = { "/home/me/.config/openstack/clouds.yaml": clouds, "/home/me/.config/openstack/secure.yaml": secure }
    expect(find(files, { HOME: "/home/me" }, "app")).toMatchObject({
      region: "B",
      credentials: { type: "application-credential", id: "i", secret: "s" },
    })
  })

  test("a token wins over a password", () => {
    expect(find({ "/here/clouds.yaml": clouds }, {}, "token").credentials).toEqual({ type: "token", token: "abc", project: { id: "pid" } })
  })

  test("the only one needs no name, one of several does", () => {
    const { one } = clouds.clouds
    expect(find({ "/x.yaml": { clouds: { one } } }, { OS_CLIENT_CONFIG_FILE: "/x.yaml" }).authUrl).toBe("http://one/v3")
    expect(() => find({ "/here/clouds.yaml": clouds }, {})).toThrow(/one cloud, found the clouds one, app, token; set OS_CLOUD/)
    expect(() => find({ "/here/clouds.yaml": clouds }, { OS_CLOUD: "two" })).toThrow(
      "expected cloud two, found the clouds one, app, token; set OS_CLOUD or --os-cloud to one of them (/here/clouds.yaml)",
    )
    expect(() => find({ "/here/clouds.yaml": clouds }, {}, "tokn")).toThrow("(/here/clouds.yaml); did you mean token?")
  })

  test("as with openstacksdk, what stands beside auth counts too, and auth wins", () => {
    const cloud = { auth_url: "http://one/v3", username: "u", password: "wrong", auth: { password: "p" } }
    expect(find({ "/here/clouds.yaml": { clouds: { cloud } } }, {})).toMatchObject({
      authUrl: "http://one/v3",
      credentials: { type: "password", user: { name: "u" }, password: "p" },
    })
  })

  test("names a missing file of OS_CLIENT_CONFIG_FILE where nothing else is found", () => {
    const environment = { OS_CLIENT_CONFIG_FILE: "/nope.yaml" }
    expect(() => find({}, environment)).toThrow("(OS_CLIENT_CONFIG_FILE says /nope.yaml, which is not there)")
    expect(() => find({ "/nope.yaml": clouds }, environment)).not.toThrow("not there")
  })

  test("a file without clouds is not taken for none", () => {
    const { one } = clouds.clouds
    expect(() => find({ "/here/clouds.yaml": { one } }, {})).toThrow('found no clouds in /here/clouds.yaml; it has them below "clouds:"')
  })
})

describe("the OS_* variables", () => {
  const rc = {
    OS_AUTH_URL: "http://k/v3",
    OS_USERNAME: "u",
    OS_PASSWORD: "p",
    OS_PROJECT_NAME: "x",
    OS_REGION_NAME: "R",
    OS_INTERFACE: "public",
  }

  test("are a cloud of their own, and win over a file where no cloud is named", () => {
    const found = find({ "/here/clouds.yaml": clouds }, { ...rc, OS_USER_DOMAIN_NAME: "D" })
    expect(found).toMatchObject({ authUrl: "http://k/v3", region: "R", interface: "public" })
    expect(found.credentials).toMatchObject({
      user: { name: "u", domain: { name: "D" } },
      project: { name: "x", domain: { id: "default" } },
    })
  })

  test("everything that is missing is named at once", () => {
    expect(() => find({}, { OS_USERNAME: "", OS_PROJECT_NAME: "x" })).toThrow(
      /auth_url, username \(or user_id\), password in the OS_\* variables/,
    )
    expect(() => find({}, {})).toThrow(/no clouds.yaml and no OS_AUTH_URL/)
  })

  test.each([
    ["auth_url", { OS_AUTH_URL: "10.0.0.1:5000/v3" }, "10.0.0.1:5000/v3"],
    ["auth_url", { OS_AUTH_URL: "http://[::1/v3" }, "http://[::1/v3"],
    ["network_endpoint_override", { OS_NETWORK_ENDPOINT_OVERRIDE: "net:9696" }, "net:9696"],
  ])("an address that is none is refused by its name: %s", (name, wrong, found) => {
    expect(() => find({}, { ...rc, ...wrong })).toThrow(
      `expected an address such as http://10.0.0.1:5000/v3 as ${name} in the OS_* variables, found "${found}"`,
    )
  })

  test("ignores settings of services that are not used", () => {
    expect(find({}, { ...rc, OS_COMPUTE_ENDPOINT_OVERRIDE: "nova:8774" }).authUrl).toBe(rc.OS_AUTH_URL)
  })

  test("a way to log in that is not known is refused", () => {
    expect(() => find({}, { ...rc, OS_AUTH_TYPE: "v3kerberos" })).toThrow(/as auth_type.*found v3kerberos/)
  })
})
