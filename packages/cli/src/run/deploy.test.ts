import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { parseManifests } from "../client/read-manifests.ts"
import { settingsOf } from "./settings.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const text = (path: string) => readFileSync(`${root}${path}`, "utf8")

interface Container {
  readonly image: string
  readonly args: readonly string[]
}

const objects = readdirSync(`${root}deploy`)
  .filter((name) => name.endsWith(".yaml"))
  .flatMap((name) => parseManifests(text(`deploy/${name}`), name))
  .map(({ object }) => object)

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
  const known = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
  const made = ["node-controller", "persistent-volume-binder", "service-controller"]
  const bindings = objects.filter(({ kind }) => kind.endsWith("RoleBinding")) as unknown as readonly {
    readonly roleRef: { readonly kind: string; readonly name: string }
    readonly subjects: readonly { readonly kind: string; readonly name: string }[]
  }[]
  expect(bindings.length).toBeGreaterThan(0)
  for (const { roleRef, subjects } of bindings) {
    expect(known).toContain(`${roleRef.kind} ${roleRef.name}`)
    for (const { kind, name } of subjects) expect(made.includes(name) || known.has(`${kind} ${name}`)).toBe(true)
  }
})

test("no rule gives everything", () => {
  const roles = objects.filter(({ kind }) => kind.endsWith("Role")) as unknown as readonly {
    readonly rules: readonly { readonly verbs: readonly string[] }[]
  }[]
  for (const { rules } of roles) for (const { verbs } of rules) expect(verbs).not.toContain("*")
})
