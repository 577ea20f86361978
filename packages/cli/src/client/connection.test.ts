import { expect, test } from "vitest"
import { chosenKubeconfig, localKubeconfig } from "./connection.ts"

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
