import {
  Environment,
  type Library,
  listsLibrary,
  optionalsLibrary,
  reverseLibrary,
  setsLibrary,
  standardLibrary,
  stringsLibrary,
  twoVariableComprehensions,
} from "../index.ts"
import { describeOverloads } from "../testing/overload-suite.ts"

const libraries: readonly Library[] = [
  standardLibrary(),
  stringsLibrary,
  reverseLibrary,
  setsLibrary,
  listsLibrary,
  optionalsLibrary,
  twoVariableComprehensions,
]

describeOverloads(libraries, new Environment({ libraries }))
