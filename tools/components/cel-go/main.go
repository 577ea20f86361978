// Compiles expressions with cel-go, in the environment that kube-apiserver compiles rules in, and evaluates them as often as it can.
//
// The first line of its input is a JSON list of cases. Every further line is a request, answered with one line: how many operations of a
// case it did in how many nanoseconds.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	rules "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// A case is an expression with its variables, or a schema with rules and an object.
type testCase struct {
	Expression string                     `json:"expression"`
	Types      map[string]string          `json:"types"`
	Raw        map[string]json.RawMessage `json:"variables"`
	Schema     json.RawMessage            `json:"schema"`
	Object     json.RawMessage            `json:"object"`
}

type request struct {
	Case         int    `json:"case"`
	Operation    string `json:"operation"`
	Milliseconds int    `json:"milliseconds"`
}

type answer struct {
	Operations  int   `json:"operations"`
	Nanoseconds int64 `json:"nanoseconds"`
}

// An operation does its work once; it fails if the result is not true.
type operation func() error

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println(version())
		return
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/google/cel-go" {
			return "cel-go " + module.Version
		}
	}
	return "cel-go is not part of this program"
}

func serve() error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	var cases []testCase
	if !lines.Scan() {
		return fmt.Errorf("expected a line with cases, found the end of the input")
	}
	if err := json.Unmarshal(lines.Bytes(), &cases); err != nil {
		return err
	}
	operations, err := operationsOf(cases)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var wanted request
		if err := json.Unmarshal(lines.Bytes(), &wanted); err != nil {
			return err
		}
		work := operations[wanted.Case][wanted.Operation]
		if work == nil {
			return fmt.Errorf("case %d has no operation %q", wanted.Case, wanted.Operation)
		}
		found, err := measure(work, time.Duration(wanted.Milliseconds)*time.Millisecond)
		if err != nil {
			return fmt.Errorf("case %d: %w", wanted.Case, err)
		}
		if err := out.Encode(found); err != nil {
			return err
		}
	}
	return lines.Err()
}

func measure(work operation, limit time.Duration) (answer, error) {
	const batch = 16
	count := 0
	start := time.Now()
	for {
		for range batch {
			if err := work(); err != nil {
				return answer{}, err
			}
		}
		count += batch
		if passed := time.Since(start); passed >= limit {
			return answer{Operations: count, Nanoseconds: passed.Nanoseconds()}, nil
		}
	}
}

func operationsOf(cases []testCase) ([]map[string]operation, error) {
	operations := make([]map[string]operation, len(cases))
	for index, one := range cases {
		make := expressionOperations
		if one.Schema != nil {
			make = ruleOperations
		}
		found, err := make(one)
		if err != nil {
			return nil, fmt.Errorf("case %d: %w", index, err)
		}
		operations[index] = found
	}
	return operations, nil
}

func expressionOperations(one testCase) (map[string]operation, error) {
	variables := map[string]any{}
	for name, raw := range one.Raw {
		var value any
		if err := utiljson.Unmarshal(raw, &value); err != nil {
			return nil, err
		}
		variables[name] = value
	}
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	set, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: environment.DefaultCompatibilityVersion(),
		EnvOptions:        declarations(one.Types),
	})
	if err != nil {
		return nil, err
	}
	env := set.StoredExpressionsEnv()
	compile := func() (cel.Program, error) {
		tree, issues := env.Compile(one.Expression)
		if issues != nil {
			return nil, issues.Err()
		}
		return env.Program(tree, cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	}
	program, err := compile()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	return map[string]operation{
		"compile": func() error {
			_, err := compile()
			return err
		},
		"evaluate": func() error {
			result, _, err := program.ContextEval(ctx, variables)
			if err != nil {
				return err
			}
			if result.Value() != true {
				return fmt.Errorf("expected true of %q, found %v", one.Expression, result.Value())
			}
			return nil
		},
	}, nil
}

func declarations(types map[string]string) []cel.EnvOption {
	known := map[string]*cel.Type{
		"int":                 cel.IntType,
		"string":              cel.StringType,
		"list(int)":           cel.ListType(cel.IntType),
		"map(string, string)": cel.MapType(cel.StringType, cel.StringType),
	}
	options := []cel.EnvOption{}
	for name, written := range types {
		options = append(options, cel.Variable(name, known[written]))
	}
	return options
}

func ruleOperations(one testCase) (map[string]operation, error) {
	var external v1.JSONSchemaProps
	if err := json.Unmarshal(one.Schema, &external); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := utiljson.Unmarshal(one.Object, &object); err != nil {
		return nil, err
	}
	compile := func() *rules.Validator { return rules.NewValidator(structural, true, celconfig.PerCallLimit) }
	validator := compile()
	ctx := context.Background()
	return map[string]operation{
		"compile": func() error {
			compile()
			return nil
		},
		"evaluate": func() error {
			errors, _ := validator.Validate(ctx, field.NewPath("root"), structural, object, nil, celconfig.RuntimeCELCostBudget)
			if len(errors) > 0 {
				return fmt.Errorf("expected no error, found %s", strings.TrimSpace(errors.ToAggregate().Error()))
			}
			return nil
		},
	}, nil
}
