"""The interface of shap's tree explainer over Kauri's explanations."""
