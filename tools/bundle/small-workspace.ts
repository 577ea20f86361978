import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const files = {
  "packages/cli/package.json": '{"version":"1.2.3","type":"module"}',
  "packages/cli/src/main.ts":
    'import { text } from "./index.ts"\nconst shown: string = text\nawait import("./later.ts").then(({ say }) => say(shown))\n',
  "packages/cli/src/index.ts": 'export { text } from "./text.ts"\n',
  "packages/cli/src/text.ts": 'export const text = "old → text"\n',
  "packages/cli/src/later.ts": "export const say = (text: string) => console.log(text)\n",
  "node_modules/.package-lock.json": "{}",
}

/** A workspace with one package, for those who bundle it: a program that says "old → text". */
export class SmallWorkspace implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "pilothouse-workspace-")))
  readonly bundles = join(this.root, "bundles")

  constructor() {
    for (const [path, text] of Object.entries(files)) this.write(path, text)
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true })
  }
}
