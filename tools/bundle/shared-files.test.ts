import { expect, test } from "vitest"
import { type Part, sharedFiles } from "./shared-files.ts"

const command = (name: string, ...imports: string[]) => part(`${name}.js`, [`/w/packages/cli/src/commands/${name}.ts`], imports, true)

const parts: readonly Part[] = [
  part("program.js", ["/w/packages/cli/src/program.ts"], ["words.js"], true),
  command("up", "server.js", "errors.js", "controllers.js"),
  command("run", "controllers.js", "errors.js"),
  command("apiserver", "server.js", "node:fs", "storage.js"),
  command("apply", "manifests.js", "errors.js", "words.js"),
  part("server.js", ["server.ts", "handler.ts"], ["storage.js", "errors.js"]),
  part("storage.js", ["storage.ts"], ["errors.js", "server.js"]),
  part("controllers.js", ["controllers.ts"], ["errors.js"]),
  part("manifests.js", ["manifests.ts"], []),
  part("errors.js", ["errors.ts"], []),
  part("words.js", ["words.ts"], []),
  part("yaml.js", ["yaml.ts"], [], true),
  part("http.js", ["/w/packages/runtime/src/http/http-transport.ts"], ["backoff.js"], true),
  part("backoff.js", ["backoff.ts"], []),
]

test.each([
  ["two files that the same commands load are one", ["server.ts", "handler.ts", "storage.ts"], "shared-101000"],
  ["what others load too is another", ["controllers.ts"], "shared-110000"],
  ["what is loaded on the way counts", ["errors.ts"], "shared-111000"],
  ["what the program loads before any command is loaded by all, whatever else loads it", ["words.ts"], "shared-111111"],
  ["what is loaded with the first connection to a cluster is of those that have one", ["backoff.ts"], "shared-010110"],
  ["what no counted command loads stays", ["manifests.ts"], null],
  ["what is asked for by its name stays", ["yaml.ts", "/w/packages/cli/src/commands/up.ts"], null],
  ["what is in no file stays", ["unused.ts"], null],
])("%s", (_, sources, expected) => {
  const fileOf = sharedFiles(parts)
  expect(sources.map(fileOf)).toEqual(sources.map(() => expected))
})

function part(fileName: string, moduleIds: string[], imports: string[], isDynamicEntry = false): Part {
  return { fileName, moduleIds, imports, isEntry: false, isDynamicEntry }
}
