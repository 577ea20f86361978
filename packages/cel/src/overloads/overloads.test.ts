import {
  Environment,
  type Library,
  listsLibrary,
  newestStringsLibrary,
  optionalsLibrary,
  setsLibrary,
  standardLibrary,
  stringsLibrary,
  twoVariableComprehensions,
} from "../index.ts"
import { patternCompiler } from "../kubernetes/index.ts"
import { describeOverloads } from "../testing/overload-suite.ts"

const libraries: readonly Library[] = [
  standardLibrary(patternCompiler()),
  stringsLibrary,
  setsLibrary,
  listsLibrary,
  optionalsLibrary,
  twoVariableComprehensions,
]

describeOverloads(libraries, new Environment({ libraries }))
describeOverloads([newestStringsLibrary], new Environment({ libraries: [standardLibrary(patternCompiler()), newestStringsLibrary] }))
