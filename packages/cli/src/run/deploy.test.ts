import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { accountOf, controllerRoles, controllers, createControllers } from "@pilothouse/controllers"
import { parseManifests } from "@pilothouse/runtime/manifests"
import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { everyController } from "./controllers/check-controllers.ts"
import { settingsOf } from "./settings.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const text = (path: string) => readFileSync(`${root}${path}`, "utf8")

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly ports: readonly [{ readonly name: string; readonly containerPort: number }]
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
}

interface Role {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly rules: readonly {
    readonly apiGroups?: readonly string[]
    readonly resources?: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

const inFolder = (folder: string) =>
  readdirSync(`${root}${folder}`)
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => parseManifests(text(`${folder}/${name}`), name))
    .map(({ object }) => object)

const objects = inFolder("deploy")
const forAccounts = inFolder("deploy/service-account-credentials")
const rolesIn = (found: readonly { readonly kind: string }[]) =>
  found.filter(({ kind }) => kind.endsWith("Role")) as unknown as readonly Role[]

function containerOf(): Container {
  const { spec } = objects.find(({ kind }) => kind === "Deployment") as unknown as {
    readonly spec: { readonly replicas: number; readonly template: { readonly spec: { readonly containers: readonly [Container] } } }
  }
  expect(spec.replicas).toBe(2)
  return spec.template.spec.containers[0]
}

test("what the image copies is there, and its command too", () => {
  const lines = text("Dockerfile").split("\n")
  const copied = lines.filter((line) => line.startsWith("COPY ")).flatMap((line) => line.split(/\s+/).slice(1, -1))
  expect(copied.length).toBeGreaterThan(0)
  expect(copied.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
  const [, program = ""] = /^ENTRYPOINT \["node", "([^"]+)"\]$/m.exec(text("Dockerfile")) ?? []
  expect(existsSync(`${root}${program}`)).toBe(true)
  const ignored = text(".dockerignore").split("\n")
  expect(copied.filter((path) => ignored.includes(path))).toEqual([])
})

test("the image is of a Node that strips types", () => {
  expect(text("Dockerfile")).toMatch(/^FROM node:24/m)
})

test("the Deployment starts a command with flags that exist", () => {
  const { args, image } = containerOf()
  const [command, ...flags] = args
  const given = Object.fromEntries(flags.map((flag) => flag.replace(/^--/, "").split(/=(.*)/s).slice(0, 2)))
  expect(command).toBe("run")
  const { own } = settingsOf({}, given)
  expect(own["bind-address"]).toBe("0.0.0.0")
  expect(image).toBe(`pilothouse:${JSON.parse(text("package.json")).version}`)
})

test("every binding is of a role and an account that are here, or of an account that the program makes", () => {
  const shipped = [...objects, ...forAccounts]
  const known = new Set(shipped.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
  const made = ["node-controller", "persistent-volume-binder", "service-controller"]
  const bindings = shipped.filter(({ kind }) => kind.endsWith("RoleBinding")) as unknown as readonly {
    readonly roleRef: { readonly kind: string; readonly name: string }
    readonly subjects: readonly { readonly kind: string; readonly name: string }[]
  }[]
  expect(bindings.length).toBeGreaterThan(0)
  for (const { roleRef, subjects } of bindings) {
    expect(known).toContain(`${roleRef.kind} ${roleRef.name}`)
    for (const { kind, name } of subjects) expect(made.includes(name) || known.has(`${kind} ${name}`)).toBe(true)
  }
})

test("no rule gives everything, and all kinds can be neither created nor updated", () => {
  for (const { rules } of rolesIn([...objects, ...forAccounts]))
    for (const { resources = [], verbs } of rules) {
      expect(verbs).not.toContain("*")
      if (resources.includes("*")) expect(verbs).toEqual(["get", "list", "watch", "patch", "delete", "deletecollection"])
    }
})

test("only the file for --use-service-account-credentials has the right to request tokens, and only those of our controllers", () => {
  const tokenRules = (found: readonly { readonly kind: string }[]) =>
    rolesIn(found).flatMap(({ rules }) => rules.filter(({ resources = [] }) => resources.includes("serviceaccounts/token")))
  expect(tokenRules(objects)).toEqual([])
  const [rule, ...others] = tokenRules(forAccounts)
  expect(others).toEqual([])
  const made = createControllers({
    select: controllers.map(({ name }) => name),
    settings: { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/14", "enable-hostpath-provisioner": true },
    needs: { files: virtualFiles(new VirtualClock()), rootCa: "", signToken: () => "", volumeRoot: "/volumes" },
  })
  const accounts = [...made, ...everyController].flatMap(({ name }) => accountOf(name) ?? [])
  expect(rule?.resourceNames?.toSorted()).toEqual([...new Set(accounts)].toSorted())
})

test("the NetworkPolicy is about the pods of the Deployment and lets only labelled namespaces reach their port", () => {
  const { spec } = objects.find(({ kind }) => kind === "NetworkPolicy") as unknown as {
    readonly spec: {
      readonly podSelector: { readonly matchLabels: object }
      readonly policyTypes: readonly string[]
      readonly ingress: readonly { readonly from: readonly object[]; readonly ports: readonly { readonly port: string }[] }[]
    }
  }
  const deployment = objects.find(({ kind }) => kind === "Deployment") as unknown as {
    readonly spec: { readonly selector: { readonly matchLabels: object } }
  }
  expect(spec.podSelector.matchLabels).toEqual(deployment.spec.selector.matchLabels)
  expect(spec.policyTypes).toEqual(["Ingress"])
  expect(spec.ingress).toEqual([
    {
      from: [{ namespaceSelector: { matchLabels: { metrics: "enabled" } } }],
      ports: [{ port: containerOf().ports[0].name, protocol: "TCP" }],
    },
  ])
})

test("probes ask for the pages that say whether it lives and whether it works", () => {
  const { livenessProbe, readinessProbe, ports } = containerOf()
  expect(livenessProbe.httpGet).toMatchObject({ path: "/livez", port: ports[0].name })
  expect(readinessProbe.httpGet).toMatchObject({ path: "/readyz", port: ports[0].name })
  expect(ports[0].containerPort).toBe(settingsOf({}, {}).own["secure-port"])
})

test("the accounts of controllers have in deploy/ what they have in an embedded cluster", () => {
  const lines = ({ metadata, rules }: Role) =>
    rules.map(({ verbs, apiGroups = [], resources = [] }) => {
      const groups = apiGroups.map((group) => (group === "" ? "core" : group))
      return `${metadata.name}: ${verbs.join()} ${groups.join()}: ${resources.join(" ")}`
    })
  const shipped = rolesIn(forAccounts).filter(({ kind }) => kind === "ClusterRole")
  expect(shipped.flatMap(lines)).toEqual(
    controllerRoles.flatMap(({ account, rules = [] }) => rules.map((rule) => `pilothouse:${account}: ${rule}`)),
  )
})
