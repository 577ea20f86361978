import { Command } from "commander"
import { expect, test } from "vitest"
import { addRegistryFlags, type RegistryFlags, registrySettings } from "./registry-flags.ts"

function settings(...words: readonly string[]) {
  return registrySettings(addRegistryFlags(new Command().exitOverride()).parse(words, { from: "user" }).opts<RegistryFlags>())
}

test("nothing said: the registry's own defaults", () => {
  expect(Object.values(settings()).filter((value) => value !== undefined)).toEqual([])
})

const rows: readonly (readonly [words: readonly string[], expected: object])[] = [
  [["--watch-namespace", "a", "b"], { namespaces: ["a", "b"] }],
  [
    ["--discovery-selector", "mesh=on,team in (x,y)", "--discovery-selector", "!old"],
    {
      discoverySelectors: [
        { matchLabels: { mesh: "on" }, matchExpressions: [{ key: "team", operator: "In", values: ["x", "y"] }] },
        { matchExpressions: [{ key: "old", operator: "DoesNotExist" }] },
      ],
    },
  ],
  [["--resync", "10m"], { resync: 600_000 }],
  [["--domain-suffix", "x.org"], { domainSuffix: "x.org" }],
  [["--trust-domain", "t"], { trustDomain: "t" }],
  [["--network", "home"], { network: "home" }],
  [["--endpoints-from", "endpoints"], { endpoints: "endpoints" }],
  [["--external-names", "alias"], { externalNames: "alias" }],
]
test.each(rows)("%j is handed to the registry", (words, expected) => {
  expect(settings(...words)).toMatchObject(expected)
})

const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
  [["--discovery-selector", "a in"], '--discovery-selector, found "a in"'],
  [["--discovery-selector", "a>3"], '--discovery-selector, found "a>3"'],
  [["--resync", "soon"], 'expected a duration such as "1h0m0s" for --resync, found "soon"'],
  [["--endpoints-from", "pods"], 'expected slices or endpoints for --endpoints-from, found "pods"'],
  [["--external-names", "x"], 'expected instances or alias for --external-names, found "x"'],
]
test.each(wrong)("%j is refused", (words, message) => {
  expect(() => settings(...words)).toThrow(message)
})
