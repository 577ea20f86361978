import { noFocusedTests } from "./focused-tests.ts"
import { forbidden } from "./forbidden/forbidden.ts"
import { machineNames } from "./forbidden/machine-names.ts"
import { moduleState } from "./forbidden/module-state.ts"
import { cycles } from "./imports/cycles.ts"
import { dependencies } from "./imports/dependencies.ts"
import { dynamicImports } from "./imports/dynamic-imports.ts"
import { folderCycles } from "./imports/folder-cycles.ts"
import { httpModulesAreNotImported } from "./imports/http-modules.ts"
import { indexFiles } from "./imports/index-files.ts"
import { everyRoomIsInTheTable, whoMayImportWhom } from "./imports/who-may-import-whom.ts"
import { fileNames } from "./layout/file-names.ts"
import { layout } from "./layout/layout.ts"
import type { Rule } from "./rule.ts"
import { contractComments } from "./text/contract-comments.ts"
import { proseIsNotCompared } from "./text/prose.ts"
import { suppressionsHaveReasons } from "./text/suppressions.ts"
import { fieldWords } from "./text/words.ts"

export const rules: readonly Rule[] = [
  everyRoomIsInTheTable,
  whoMayImportWhom,
  dependencies,
  dynamicImports,
  cycles,
  forbidden,
  httpModulesAreNotImported,
  moduleState,
  fileNames,
  suppressionsHaveReasons,
  contractComments,
  noFocusedTests,
  indexFiles,
  machineNames,
  fieldWords,
  layout,
  folderCycles,
  proseIsNotCompared,
]
