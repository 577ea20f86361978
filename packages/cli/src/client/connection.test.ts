import { PilothouseError } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { chosenKubeconfig, localKubeconfig, withLocal } from "./connection.ts"

const here = { facts: (path: string) => (path === localKubeconfig ? { directory: false, size: 1, modified: 0, mode: 0o600 } : undefined) }
const nothing = { facts: () => undefined }

test.each<[name: string, ...given: Parameters<typeof chosenKubeconfig>, expected: ReturnType<typeof chosenKubeconfig>]>([
  [
    "the file of this directory is not trusted with programs and files",
    undefined,
    undefined,
    here,
    { kubeconfig: localKubeconfig, inlineOnly: true },
  ],
  ["an empty KUBECONFIG says nothing", undefined, "", here, { kubeconfig: localKubeconfig, inlineOnly: true }],
  ["the same file is when it is asked for", localKubeconfig, undefined, here, { kubeconfig: localKubeconfig }],
  ["KUBECONFIG comes before it", undefined, "/k", here, {}],
  ["without it there is what kubectl would read", undefined, undefined, nothing, {}],
])("%s", (_name, asked, environment, files, expected) => {
  expect(chosenKubeconfig(asked, environment, files)).toEqual(expected)
})

const nowhere = new PilothouseError("NO_CLUSTER", "expected a kubeconfig at ~/.kube/config, found none")

test("who had no cluster was not told that one was looked for in this directory, nor how to start one", () => {
  expect(withLocal(nowhere, undefined)).toMatchObject({
    code: "NO_CLUSTER",
    message:
      'expected a kubeconfig at ~/.kube/config, found none; there is no .pilothouse/kubeconfig in this directory either: start a cluster that leaves one with "npx @pilothouse/cli up"',
  })
})

test.each([
  ["KUBECONFIG comes before the file of this directory, which is not read then", nowhere, "/k"],
  ["any other failure is as it was", new PilothouseError("FILE", "no"), undefined],
])("%s", (_name, error, environment) => {
  expect(withLocal(error, environment)).toBe(error)
})
