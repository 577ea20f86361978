import { compile, type Environment, intType, listType, mapType, Program, stringType, type Type, type Value } from "@pilothouse/cel"
import { callCostLimit, compileRules, kubernetesEnvironment, validateRules } from "@pilothouse/cel/kubernetes"
import { type ExpressionCase, expressions, type RulesCase, rules, type VariableType } from "./cases.ts"

const types: Readonly<Record<VariableType, Type>> = {
  int: intType,
  string: stringType,
  "list(int)": listType(intType),
  "map(string, string)": mapType(stringType, stringType),
}

/** What is done once; it fails if the result is not true. */
export interface Operations {
  compile(): void
  evaluate(): void
}

/** The operations of all cases: the expressions, then the rules. */
export function ourOperations(): readonly Operations[] {
  const environment = kubernetesEnvironment()
  return [...expressions.map((one) => expressionOperations(one, environment)), ruleOperations(rules)]
}

function expressionOperations({ expression, types: named, variables }: ExpressionCase, base: Environment): Operations {
  const declared = Object.fromEntries(Object.entries(named).map(([name, type]) => [name, types[type]]))
  const environment = base.extend({ variables: declared })
  const program = compiled(expression, environment)
  const activation = variables as Readonly<Record<string, Value>>
  return {
    compile: () => void compiled(expression, environment),
    evaluate() {
      const evaluation = program.evaluate(activation, { costLimit: callCostLimit })
      if (evaluation.kind !== "value" || evaluation.value !== true)
        throw new Error(`expected true of "${expression}", found ${JSON.stringify(evaluation)}`)
    },
  }
}

function compiled(expression: string, environment: Environment): Program {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) throw new Error(program.message)
  return program
}

function ruleOperations({ schema, object }: RulesCase): Operations {
  const environment = kubernetesEnvironment()
  const found = compileRules(schema, { environment })
  if (found.errors.length > 0) throw new Error(`expected rules without faults, found ${JSON.stringify(found.errors)}`)
  return {
    compile: () => void compileRules(schema, { environment }),
    evaluate() {
      const { errors } = validateRules(found, "root", object)
      if (errors.length > 0) throw new Error(`expected no error, found ${JSON.stringify(errors)}`)
    },
  }
}
