import { contractComments } from "./contract-comments.ts"
import { cycles } from "./cycles.ts"
import { dependencies } from "./dependencies.ts"
import { dynamicImports } from "./dynamic-imports.ts"
import { fileNames } from "./file-names.ts"
import { noFocusedTests } from "./focused-tests.ts"
import { folderCycles } from "./folder-cycles.ts"
import { forbidden } from "./forbidden.ts"
import { httpModulesAreNotImported } from "./http-modules.ts"
import { indexFiles } from "./index-files.ts"
import { layout } from "./layout.ts"
import { machineNames } from "./machine-names.ts"
import { moduleState } from "./module-state.ts"
import { proseIsNotCompared } from "./prose.ts"
import type { Rule } from "./rule.ts"
import { suppressionsHaveReasons } from "./suppressions.ts"
import { everyRoomIsInTheTable, whoMayImportWhom } from "./who-may-import-whom.ts"
import { fieldWords } from "./words.ts"

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
